import { createHash } from "node:crypto";
import { liveHead, liveMain, staleNote } from "./live.ts";
import { navigation } from "./navigation.ts";

const style = `
:root { color-scheme: light dark; --line: light-dark(#d8dce2, #343a44); --soft: light-dark(#5b6472, #98a2b3);
  --back: light-dark(#f6f7f9, #14171c); --card: light-dark(#fff, #1c2027); --text: light-dark(#1a1f27, #e6e9ee);
  --link: light-dark(#0b57d0, #8ab4f8); --bad: light-dark(#b3261e, #f2938c);
  --warm: light-dark(#9a5b00, #e0a54a); --good: light-dark(#1e6b3a, #7fcf9b); }
* { box-sizing: border-box }
body { margin: 0; padding: 2rem 1.25rem; background: var(--back); color: var(--text); font: 15px/1.5 system-ui, sans-serif }
main { max-width: 60rem; margin: 0 auto }
main.wide { max-width: 80rem }
main.narrow { max-width: 21rem; margin-top: 12vh }
header { display: flex; flex-wrap: wrap; gap: .5rem 1.25rem; align-items: baseline; margin-bottom: 1.5rem }
h1 { font-size: 1.35rem; margin: 0 auto 0 0 }
h2 { font-size: 1rem; margin: 2rem 0 .6rem }
a { color: var(--link) }
a.skip { position: absolute; left: -100vw } a.skip:focus { left: 1rem; top: .4rem }
.card { background: var(--card); border: 1px solid var(--line); border-radius: .6rem; overflow-x: auto }
caption { position: absolute; clip-path: inset(50%); width: 1px; height: 1px; overflow: hidden }
table { width: 100%; border-collapse: collapse; font-variant-numeric: tabular-nums }
th, td { padding: .55rem .9rem; text-align: right; border-bottom: 1px solid var(--line); white-space: nowrap }
tbody tr:last-child > * { border-bottom: 0 }
th { color: var(--soft); font-weight: 500; font-size: .85rem }
th:first-child, td:first-child { text-align: left }
tbody th { font-size: inherit; font-weight: 400 }
.bad { color: var(--bad); font-weight: 600 }
.warm { color: var(--warm); font-weight: 600 }
.good { color: var(--good); font-weight: 600 }
.status { margin: 0 0 1.5rem; padding: .8rem 1.1rem; border: 1px solid var(--line); border-left: .4rem solid var(--good); border-radius: .6rem; background: var(--card); font-size: 1.05rem; overflow-wrap: anywhere }
.status.wrong { border-color: var(--bad) }
.status.look { border-color: var(--warm) }
.status a, .bad a { color: inherit }
.when { color: var(--soft) }
h2 .soft { font-weight: 400; font-size: .85rem }
.soft { color: var(--soft) }
form { display: flex; gap: .5rem }
form.card { flex-direction: column; padding: 1.25rem; gap: .9rem }
label { display: grid; gap: .25rem; font-size: .85rem; color: var(--soft) }
input { flex: 1; min-width: 0; padding: .5rem .65rem; border: 1px solid var(--line); border-radius: .4rem; background: var(--back); color: var(--text); font: inherit }
button { padding: .5rem 1rem; border: 1px solid var(--line); border-radius: .4rem; background: var(--card); color: var(--text); font: inherit; cursor: pointer }
button.plain { padding: 0; border: 0; background: none; color: var(--link); text-decoration: underline }
td.wide { width: 45%; min-width: 8rem }
th.text, td.text { text-align: left }
td.text { white-space: normal; overflow-wrap: anywhere; min-width: 7rem }
td.inside { padding-left: 2rem; color: var(--soft) }
table.facts td:first-child { color: var(--soft); width: 10.5rem; white-space: normal }
table.facts td { text-align: left }
svg.bar { display: block; width: 100%; height: .6rem }
.outer { fill: var(--link) }
.inner { fill: var(--soft) }
.id { font-family: ui-monospace, monospace; overflow-wrap: anywhere; color: var(--soft) }
.headline { font-size: 1.1rem }
select { padding: .5rem .65rem; border: 1px solid var(--line); border-radius: .4rem; background: var(--back); color: var(--text); font: inherit; min-width: 0 }
.forms { display: grid; align-items: start; grid-template-columns: repeat(auto-fit, minmax(min(100%, 18rem), 1fr)); gap: 1rem }
form.inline { justify-content: flex-end }
form.inline { min-width: 0 } form.inline input { max-width: 9rem } form.inline input[name=minutes] { max-width: 5.6rem }
.wrap { display: inline-block; white-space: normal; max-width: 11rem }
.charts { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 20rem), 1fr)); gap: .8rem }
figure { margin: 0; padding: .7rem .8rem .4rem }
figcaption { font-size: .85rem; font-variant-numeric: tabular-nums; margin-bottom: .3rem }
.plot { color: var(--soft); border: 0 solid var(--line) } .plot:empty { display: none }
.plot .u-over { cursor: crosshair }
.legend { display: flex; flex-wrap: wrap; gap: 0 .8rem; margin: .2rem 0; font-size: .8rem; font-variant-numeric: tabular-nums }
.plotted td, .plotted th { padding: .15rem .6rem; font-size: .8rem }
.key { white-space: nowrap } .key::before { content: ""; display: inline-block; width: .8em; height: .2em; margin-right: .35em; vertical-align: middle; background: currentColor }
.key.calls, .key.desired, .key.p50 { color: var(--link) }
.key.wait, .key.p95 { color: var(--warm) }
.key.failed, .key.p99 { color: var(--bad) }
.key.actual { color: var(--soft) }
.empty { fill: var(--line) }
dd.big { font-size: 1.25rem }
h3 { font-size: .9rem; margin: 1.1rem 0 .4rem }
h3 .soft { font-weight: 400 }
#stale:empty { margin-left: -1.25rem }
nav { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem }
.pad { padding: 1rem 1.1rem; margin-bottom: 1rem }
.pad h2 { margin: 0; display: flex; flex-wrap: wrap; gap: .2rem .8rem; align-items: baseline }
.pad p { margin: .5rem 0 }
.prose p { max-width: 46rem } .prose h2:target { color: var(--warm) }
.pad h2 .soft { font-weight: 400; font-size: .85rem }
.count { font-size: 1.15rem }
dl { display: grid; grid-template-columns: repeat(auto-fill, minmax(9rem, 1fr)); gap: .6rem 1rem; margin: .8rem 0 }
dt { color: var(--soft); font-size: .8rem }
dd { margin: 0; font-variant-numeric: tabular-nums; overflow-wrap: anywhere }
summary { cursor: pointer; color: var(--soft); font-size: .85rem }
details { overflow-x: auto }
form.fields { display: grid; grid-template-columns: repeat(auto-fill, minmax(9.5rem, 1fr)); align-items: end; padding: 1.1rem }
@media (min-width: 40.01rem) and (max-width: 80rem) { main.wide th, main.wide td { padding-inline: .5rem } td form.inline { flex-wrap: wrap } }
@media (max-width: 40rem) {
  body { padding: 1rem .75rem } th, td { padding: .45rem .55rem }
  td.wide { width: 35%; min-width: 5rem } td:has(+ td + td.wide) { white-space: normal } td.inside { padding-left: 1.2rem }
  table.facts td:first-child { width: 6.5rem } .tight th, .tight td { padding: .4rem .3rem; font-size: .8rem } .tight th { white-space: normal; vertical-align: bottom }
  .stack thead { display: none }
  .stack tr { display: block; padding: .5rem .2rem; border-bottom: 1px solid var(--line) } .stack tr:last-child { border-bottom: 0 }
  .stack td, .stack td:first-child { display: flex; justify-content: space-between; gap: 1rem; padding: .15rem .55rem; border: 0; text-align: right; white-space: normal; overflow-wrap: anywhere; min-width: 0 }
  .stack.dense tr { display: flex; flex-wrap: wrap; gap: .1rem .8rem }
  .stack.dense td, .stack.dense td:first-child { padding: 0 .2rem } .stack.dense td::before { display: none }
  .stack form.inline { flex-wrap: wrap }
  .stack td::before { content: attr(data-name); color: var(--soft); font-weight: 400; flex: none }
}
`;

/** Content-Security-Policy of our own pages: it allows their one style element, and styles and scripts of this server. */
export const pagePolicy = [
  "default-src 'none'",
  `style-src 'self' 'sha256-${createHash("sha256").update(style).digest("base64")}'`,
  "script-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join("; ");

const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
export const escape = (text: string) => text.replace(/[&<>"]/g, (char) => entities[char] as string);

/** Of plain text. */
export const link = (href: string, text: string) => `<a href="${escape(href)}">${escape(text)}</a>`;

/** A whole number with its thousands set apart: "12,345". */
export const number = (value: number) => Math.round(value).toLocaleString("en-US");

/** Gives each table without a caption the text of the heading above it, for those who hear the page. */
function withCaptions(body: string): string {
  let heading = "";
  return body.replace(
    /<h[1-3][^>]*>([\s\S]*?)<\/h[1-3]>|(<table\b[^>]*>)(?!<caption)/g,
    (whole, title: string | undefined, table: string | undefined) => {
      if (table !== undefined) return `${table}<caption>${heading}</caption>`;
      heading = (title ?? "").replace(/<[^>]*>/g, "").trim();
      return whole;
    },
  );
}

export function page(title: string, head: string, body: string): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">${head}<title>${escape(title)}</title><style>${style}</style></head>
<body>${withCaptions(body)}</body></html>`;
}

/** Leads past the navigation, for people without a mouse. */
export const skipLink = '<a class="skip" href="#main">Skip to the content</a>';

export const note = (text: string | undefined) =>
  text === undefined ? "" : `<p class="bad" role="alert">${escape(text)}</p>`;

/** Of something in force that is no fault. */
export const caution = (text: string) => `<p class="warm">${escape(text)}</p>`;

export const card = (inside: string): string => `<div class="card">${inside}</div>`;

function classOf(...kinds: string[]): string {
  const names = kinds.filter(Boolean).join(" ");
  return names && ` class="${names}"`;
}

export const cell = (text: string | number, bad = false): string =>
  `<td${classOf(bad ? "bad" : "")}>${text}</td>`;

/** A column of buttons has no name, and a heading without text is none. */
export const headCell = (name: string, kind = ""): string =>
  name === "" ? "<td></td>" : `<th scope="col"${classOf(kind)}>${name}</th>`;

/** Free text is aligned to the left. */
const textHeads = new Set(["What", "Before", "After", "Why", "Field", "Was", "Now", "Mapping"]);
const kindOf = (head: string | undefined): string => (textHeads.has(head ?? "") ? "text" : "");

/** Makes one element of a cell's text and elements, as a narrow screen lays out each child of a cell by itself. */
function inOne(text: string): string {
  const isOne = !text.includes("<") || /^<(\w+)\b[^>]*>[^<]*<\/\1>$/.test(text);
  return isOne || text.includes("<form") ? text : `<span>${text}</span>`;
}

/**
 * A table whose rows become blocks of named values on a narrow screen; of values without their names where it is
 * `dense`, for long lists. A cell is HTML; `!` before it marks it bad.
 */
export function stacked(
  heads: readonly string[],
  rows: readonly (readonly string[])[],
  kind: "" | "dense" = "",
): string {
  const lines = rows.map((cells) => {
    const row = cells.map((text, at) => {
      const bad = text.startsWith("!");
      return `<td${classOf(bad ? "bad" : "", kindOf(heads[at]))} data-name="${heads[at] ?? ""}">${inOne(bad ? text.slice(1) : text)}</td>`;
    });
    return `<tr>${row.join("")}</tr>`;
  });
  const head = heads.map((name) => headCell(name, kindOf(name))).join("");
  return card(
    `<table class="${kind === "" ? "stack" : `stack ${kind}`}"><thead><tr>${head}</tr></thead><tbody>${lines.join("\n")}</tbody></table>`,
  );
}

/** A page of ours other than the start page: title, navigation, body and search. */
export function framed(view: {
  title: string;
  body: string;
  /** Seconds after which the figures are fetched again; without scripts the page reloads. */
  refresh?: number;
  wide?: true;
  /** For a page with charts. */
  head?: string;
}): string {
  const { refresh, head = "" } = view;
  const live = refresh === undefined ? "" : liveMain(refresh);
  return page(
    `${view.title} · Gateway`,
    head + (refresh === undefined ? "" : liveHead(refresh)),
    `${skipLink}<main id="main"${view.wide ? ' class="wide"' : ""}${live}><header><h1>${escape(view.title)}</h1><nav aria-label="Pages">${navigation()}${live && staleNote}</nav></header>
${view.body}
<h2>Find a call</h2>${search}</main>`,
  );
}

/** The form that finds a call by its request id. */
export const search = `<form action="/find"><input name="id" placeholder="Request id, svc_…" aria-label="Request id" required><button>Find a call</button></form>`;
