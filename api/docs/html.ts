import { Marked, type Tokens } from "marked";
import type { Area, Operation } from "../../contract/operation.ts";
import { requestOf } from "../../contract/request.ts";
import type { Here } from "./availability.ts";
import type { Page, Part } from "./pages.ts";

/**
 * Renders pages as HTML. Every address is relative to `/docs`, so that pages also work below a path of a proxy.
 */

/** The anchor of a heading: "Errors, and what to do" is #errors-and-what-to-do. */
export const anchorOf = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .replace(/^-|-$/g, "");

export const escaped = (text: string) =>
  text.replace(/[&<>"]/g, (sign) => `&#${String(sign.codePointAt(0))};`);

/** Names of the languages that stand beside each other. */
const languageNames: Readonly<Record<string, string>> = {
  sh: "curl",
  ts: "TypeScript",
  python: "Python",
};

const marked = new Marked({
  gfm: true,
  renderer: {
    heading({ tokens, depth, text }) {
      return `<h${depth} id="${anchorOf(text)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
    },
    table(token) {
      const row = (cells: typeof token.header, tag: string) =>
        `<tr>${cells.map((cell) => `<${tag}>${this.parser.parseInline(cell.tokens)}</${tag.split(" ")[0]}>`).join("")}</tr>`;
      const body = token.rows.map((cells) => row(cells, "td")).join("");
      // On a phone the table scrolls by itself.
      return `<div class="wide" tabindex="0" role="region" aria-label="Table"><table><thead>${row(token.header, 'th scope="col"')}</thead><tbody>${body}</tbody></table></div>\n`;
    },
    code({ text, lang = "" }) {
      const name = languageNames[lang];
      const caption = name === undefined ? "" : `<figcaption>${name}</figcaption>`;
      return `<figure class="code" data-language="${escaped(lang)}">${caption}<pre tabindex="0"><code>${escaped(text)}</code></pre></figure>\n`;
    },
  },
});

const figure = String.raw`<figure class="code" data-language="(?:sh|ts|python)">(?:(?!</figure>)[\s\S])*</figure>\n`;
const besideEachOther = new RegExp(`(?:${figure}){2,}`, "g");

/** Rendered Markdown; code in several languages that stands beside each other becomes tabs. */
const rendered = (markdown: string): string =>
  (marked.parse(markdown) as string).replace(
    besideEachOther,
    (group) => `<div class="tabs">\n${group}</div>\n`,
  );

/** Makes links relative: pages lie below `/docs/`, the start page is `/docs` itself. */
function linked(html: string, name: string): string {
  const up = name === "" ? "" : "../";
  return html.replace(/((?:href|src)=")\/(?!\/)/g, `$1${up}`);
}

function navigation(current: Page | undefined, pages: readonly Page[], areas: readonly Area[]) {
  const item = (name: string, title: string) =>
    `<li${name === current?.name ? ' aria-current="page"' : ""}><a href="/docs${name && `/${name}`}">${escaped(title)}</a>`;
  const open = areas.find(
    ({ name, operations }) =>
      name === current?.name || operations.some(({ id }) => id === current?.name),
  );
  const guides = pages
    .filter(({ kind }) => kind === "guide")
    .map(({ name, title }) => `${item(name, title)}</li>`);
  const list = areas.map((area) => {
    const operations = area.operations.map(
      ({ id }) => `${item(id, id.slice(id.indexOf(".") + 1))}</li>`,
    );
    const inside = area === open ? `<ul>${operations.join("")}</ul>` : "";
    return `${item(area.name, area.name)}${inside}</li>`;
  });
  return `<nav aria-label="Pages" id="pages">
<p>Guides</p>
<ul>
${item("", "Start")}</li>
${guides.join("\n")}
<li><a href="/docs/try">Try it</a></li>
</ul>
<p>Operations</p>
<ul>
${list.join("\n")}
</ul>
</nav>`;
}

/** The headings of a guide, for the column beside it. */
function contents(parts: readonly Part[]): string {
  const headings = parts
    .flatMap(({ markdown }) => marked.lexer(markdown))
    .filter((token): token is Tokens.Heading => token.type === "heading" && token.depth === 2);
  if (headings.length < 3) return "";
  const items = headings.map(
    ({ text, tokens }) =>
      `<li><a href="#${anchorOf(text)}">${marked.Parser.parseInline(tokens)}</a></li>`,
  );
  return `<aside class="contents" aria-label="On this page"><p>On this page</p><ul>${items.join("")}</ul></aside>`;
}

/** The request that "Run" sends. */
function requestData(op: Operation | undefined): string {
  if (!op) return "";
  const request = requestOf(op, op.example as Readonly<Record<string, unknown>>);
  return ` data-request="${escaped(JSON.stringify(request))}"`;
}

function article(page: Page, parts: readonly Part[]): string {
  const isWide = parts.some(({ isCode }) => isCode);
  const body = parts.map(({ markdown, isCode }) =>
    isCode
      ? `<section class="beside" aria-label="Code"${requestData(page.op)}>\n${rendered(markdown)}</section>`
      : `<section>\n${rendered(markdown)}</section>`,
  );
  const markdown = `/docs/${page.name || "index"}.md`;
  return `<main id="main" tabindex="-1"${isWide ? ' class="two"' : ""}>
${body.join("\n")}
<p class="foot"><a href="${markdown}">This page as Markdown</a></p>
</main>
${isWide ? "" : contents(parts)}`;
}

const bar = `<a class="skip" href="#main">Skip to the content</a>
<header>
<a class="name" href="/docs">Public-Data Gateway</a>
<button type="button" class="menu" aria-controls="pages" aria-expanded="false" hidden>Pages</button>
<button type="button" class="find" aria-haspopup="dialog" hidden>Search <kbd>/</kbd></button>
<details class="key" hidden><summary>Your key</summary>
<form>
<label for="key">Gateway key</label>
<input id="key" type="password" autocomplete="off" spellcheck="false" placeholder="svc_test_…">
<p>Code on these pages then contains it and the address of this gateway. It stays in this tab until you close it, and is sent to this gateway only.</p>
<button>Fill in</button> <button type="button" class="forget">Forget</button>
</form></details>
</header>
<dialog class="search" aria-label="Search">
<input type="search" role="combobox" aria-label="Search in these pages" aria-expanded="true" aria-controls="found" aria-autocomplete="list" autocomplete="off" spellcheck="false" placeholder="Search operations, fields, guides">
<ul id="found" role="listbox" aria-label="Results"></ul>
<p class="none" role="status"></p>
</dialog>`;

function framed(
  head: { title: string; summary: string; more: string; name: string },
  nav: string,
  main: string,
): string {
  return linked(
    `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(head.title)}</title>
<meta name="description" content="${escaped(head.summary)}">
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/style.css">
${head.more}<script src="/docs/pages.js" defer></script>
</head>
<body data-base="http://localhost:3000">
${bar}
${nav}
${main}
</body>
</html>
`,
    head.name,
  );
}

/** A page as HTML. `pages` and `areas` are for the navigation. */
export function htmlOf(
  page: Page,
  here: Here,
  pages: readonly Page[],
  areas: readonly Area[],
): string {
  const { name, title, summary } = page;
  const more = `<link rel="alternate" type="text/markdown" href="/docs/${name || "index"}.md">\n`;
  const suffix = page.kind === "start" ? "" : " · Public-Data Gateway";
  return framed(
    { name, title: `${title}${suffix}`, summary, more },
    navigation(page, pages, areas),
    article(page, page.parts(here)),
  );
}

/** The answer to a wrong address in a browser. `depth` is the number of parts behind `/docs`. */
export function missingHtml(
  asked: string,
  near: readonly string[],
  depth: number,
  pages: readonly Page[],
  areas: readonly Area[],
): string {
  const list = near.map((id) => `<li><a href="/docs/${id}">${escaped(id)}</a></li>`).join("");
  const nearest = list === "" ? "" : `<p>Perhaps one of these:</p><ul>${list}</ul>`;
  const html = framed(
    { name: "none", title: "No such page · Public-Data Gateway", summary: "", more: "" },
    navigation(undefined, pages, areas),
    `<main id="main" tabindex="-1"><h1>There is no such page</h1>
<p>Nothing is at <code>${escaped(asked)}</code>. The <a href="/docs">start page</a> lists all guides and areas, and the search above finds every operation.</p>${nearest}</main>`,
  );
  return depth < 2 ? html : html.replace(/((?:href|src)=")\.\.\//g, `$1${"../".repeat(depth)}`);
}
