import { Marked } from "marked";
import type { Area } from "../../contract/operation.ts";
import type { Page } from "./pages.ts";

/**
 * Renders pages as HTML. Every address is relative to `/docs`, so that pages also work below a path of a proxy.
 */

const marked = new Marked({
  gfm: true,
  renderer: {
    // Anchors for links: "Errors, and what to do" is #errors-and-what-to-do.
    heading({ tokens, depth, text }) {
      const anchor = text
        .toLowerCase()
        .replace(/[^\p{L}\p{N}]+/gu, "-")
        .replace(/^-|-$/g, "");
      return `<h${depth} id="${anchor}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
    },
    table(token) {
      const row = (cells: typeof token.header, tag: string) =>
        `<tr>${cells.map((cell) => `<${tag}>${this.parser.parseInline(cell.tokens)}</${tag}>`).join("")}</tr>`;
      const body = token.rows.map((cells) => row(cells, "td")).join("");
      // On a phone the table scrolls by itself.
      return `<div class="wide"><table><thead>${row(token.header, "th")}</thead><tbody>${body}</tbody></table></div>\n`;
    },
  },
});

const escaped = (text: string) =>
  text.replace(/[&<>"]/g, (sign) => `&#${String(sign.codePointAt(0))};`);

/** Makes links relative: pages lie below `/docs/`, the start page is `/docs` itself. */
function linked(html: string, page: Page): string {
  const up = page.name === "" ? "" : "../";
  return html.replace(/(href=")\/(?!\/)/g, `$1${up}`);
}

export function htmlOf(page: Page, areas: readonly Area[], evidence?: string): string {
  const current = areas.find(
    ({ name, operations }) => name === page.name || operations.some(({ id }) => id === page.name),
  );
  const item = (name: string, title: string) =>
    `<li${name === page.name ? ' aria-current="page"' : ""}><a href="/docs${name && `/${name}`}">${escaped(title)}</a>`;
  const navigation = areas
    .map((area) => {
      const inside =
        area === current
          ? `<ul>${area.operations.map(({ id }) => `${item(id, id.slice(id.indexOf(".") + 1))}</li>`).join("")}</ul>`
          : "";
      return `${item(area.name, area.name)}${inside}</li>`;
    })
    .join("\n");
  const markdown = `/docs/${page.name || "index"}.md`;
  return linked(
    `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(page.title)}</title>
<meta name="description" content="${escaped(page.summary)}">
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/style.css">
<link rel="alternate" type="text/markdown" href="${markdown}">
</head>
<body>
<nav>
<strong>Public-Data Gateway</strong>
<ul>
${item("", "Start")}</li>
<li><a href="/docs/try">Try it</a></li>
${navigation}
</ul>
</nav>
<main>
${marked.parse(page.markdown(evidence)) as string}
<p class="foot"><a href="${markdown}">This page as Markdown</a></p>
</main>
</body>
</html>
`,
    page,
  );
}

export const style = `
:root { color-scheme: light dark; --line: color-mix(in srgb, currentColor 20%, transparent); --soft: color-mix(in srgb, currentColor 6%, transparent); }
* { box-sizing: border-box; }
body { margin: 0; font: 16px/1.55 system-ui, sans-serif; display: grid; grid-template-columns: 17rem minmax(0, 1fr); }
nav { border-right: 1px solid var(--line); padding: 1rem; height: 100vh; position: sticky; top: 0; overflow: auto; font-size: 0.9rem; }
nav ul { list-style: none; margin: 0.3rem 0; padding-left: 0.8rem; }
nav > ul { padding-left: 0; }
nav li[aria-current] > a { font-weight: 600; text-decoration: none; color: inherit; }
main { max-width: 60rem; padding: 1rem 2rem 4rem; min-width: 0; }
h1 { font-size: 1.7rem; margin: 0.5rem 0 1rem; }
h2 { font-size: 1.2rem; margin: 2rem 0 0.5rem; border-bottom: 1px solid var(--line); padding-bottom: 0.2rem; }
code { font: 0.88em/1.45 ui-monospace, monospace; background: var(--soft); padding: 0.1em 0.25em; border-radius: 3px; overflow-wrap: anywhere; }
td code { overflow-wrap: normal; }
pre { background: var(--soft); padding: 0.8rem 1rem; overflow: auto; max-height: 32rem; border-radius: 6px; }
pre code { background: none; padding: 0; overflow-wrap: normal; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: 0.92rem; }
th, td { text-align: left; vertical-align: top; padding: 0.35rem 0.7rem 0.35rem 0; border-bottom: 1px solid var(--line); min-width: 5rem; }
.foot { margin-top: 3rem; font-size: 0.85rem; }
@media (max-width: 50rem) {
  body { display: block; }
  nav { height: auto; max-height: 11rem; position: static; border-right: 0; border-bottom: 1px solid var(--line); }
  nav > ul, nav ul ul { display: flex; flex-wrap: wrap; gap: 0 0.8rem; }
  main { padding: 0.5rem 1rem 3rem; }
}
`;
