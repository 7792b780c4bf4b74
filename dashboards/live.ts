/// <reference lib="dom" />

/*
 * Functions of the browser: a page is fetched again every few seconds, and only what differs is changed, so that
 * focus, typed text, open details and the scroll position stay. They are sent as their own text, so they use
 * nothing but each other.
 */

function copyAttributes(from: Element, to: Element): void {
  // Readers open and close details by themselves.
  for (const name of from.getAttributeNames())
    if (!to.hasAttribute(name) && name !== "open") from.removeAttribute(name);
  for (const name of to.getAttributeNames()) {
    const value = to.getAttribute(name) ?? "";
    if (name !== "open" && from.getAttribute(name) !== value) from.setAttribute(name, value);
  }
}

/** Sections come and go, so a part is found again by its heading, and a form by its address. */
function nameOf(node: Node): string | undefined {
  if (node instanceof HTMLFormElement) return `form ${node.getAttribute("action")}`;
  const heading = node.nodeName === "DETAILS" ? node.firstChild : node;
  return /^(?:H[23]|DETAILS)$/.test(node.nodeName)
    ? `${node.nodeName} ${heading?.firstChild?.nodeValue}`
    : undefined;
}

/** Index of the old part that the new one replaces, or -1. A named part ends the search for one without a name. */
function indexOf(olds: readonly Node[], at: number, part: Node): number {
  const name = nameOf(part);
  for (const [index, old] of olds.entries()) {
    if (index < at) continue;
    const oldName = nameOf(old);
    if (name === undefined && oldName !== undefined) return -1;
    if (name === oldName && old.nodeName === part.nodeName) return index;
  }
  return -1;
}

function followChildren(from: Element, news: readonly ChildNode[]): void {
  const olds = [...from.childNodes];
  let at = 0;
  for (const part of news) {
    const index = indexOf(olds, at, part);
    const old = olds[index];
    if (old) {
      for (const gone of olds.slice(at, index)) gone.remove();
      follow(old, part);
      at = index + 1;
    } else from.insertBefore(part, olds[at] ?? null);
  }
  for (const gone of olds.slice(at)) gone.remove();
}

function follow(from: Node, to: Node): void {
  if (!(from instanceof Element) || !(to instanceof Element)) {
    if (from.nodeValue !== to.nodeValue) from.nodeValue = to.nodeValue;
    return;
  }
  // A form keeps what was typed.
  if (from.nodeName === "FORM" || from.id === "stale") return;
  copyAttributes(from, to);
  // Its script draws a chart from the table beside it.
  if (from.classList.contains("plot")) return;
  followChildren(from, [...to.childNodes]);
}

async function update(main: HTMLElement): Promise<void> {
  const path = main.dataset["from"] ?? location.pathname + location.search;
  const answer = await fetch(path, { headers: { accept: "text/html" } });
  // The session has ended.
  if (answer.redirected) return location.reload();
  if (!answer.ok) throw new Error(String(answer.status));
  const next = new DOMParser().parseFromString(await answer.text(), "text/html");
  const part = next.querySelector("main");
  if (part) follow(main, part);
  document.title = next.title;
}

function keepCurrent(): void {
  const main = document.querySelector<HTMLElement>("main[data-live]");
  const stale = document.querySelector("#stale");
  if (!main || !stale) return;
  let since: Date | undefined;
  const turn = async (): Promise<void> => {
    try {
      if (!document.hidden) await update(main);
      since = undefined;
      stale.textContent = "";
    } catch {
      since ??= new Date();
      stale.textContent = `not up to date since ${since.toISOString().slice(11, 19)}Z`;
    }
    repeat();
  };
  const repeat = () => setTimeout(() => void turn(), Number(main.dataset["live"]) * 1000);
  repeat();
}

/** The script of `/live.js`. */
export const liveScript = `(() => {\n${[
  copyAttributes,
  nameOf,
  indexOf,
  followChildren,
  follow,
  update,
  keepCurrent,
].join("\n")}\nkeepCurrent();\n})();\n`;

/** The head of a page whose figures stay current; without scripts it reloads. */
export const liveHead = (seconds: number, from?: string): string =>
  `<script src="/live.js" defer></script><noscript><meta http-equiv="refresh" content="${seconds}${from === undefined ? "" : `; url=${from}`}"></noscript>`;

/** Attributes of the element `main` of such a page. */
export const liveMain = (seconds: number, from?: string): string =>
  ` data-live="${seconds}"${from === undefined ? "" : ` data-from="${from}"`}`;

/** Says that the figures are old, while no answer comes. */
export const staleNote = '<span id="stale" class="warm" role="status"></span>';
