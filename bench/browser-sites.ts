import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/**
 * A page that renders itself while it loads. The gateway also waits for later rendering, the floors
 * do not.
 */
const small = `<!doctype html><title>Page</title><main></main><script>
document.querySelector("main").innerHTML = "<h1>Rendered</h1>" + "<p>text of a paragraph</p>".repeat(40);
</script>`;

const range = (count: number) => Array.from({ length: count }, (_, n) => n);

const sentence =
  "The quick brown fox jumps over the lazy dog while the band plays on and on into the night. ";
const section = (n: number) =>
  `<section><h2>Part ${n}</h2><p><img src="/picture-${n}.svg" alt="Picture ${n}"></p>${`<p>${sentence.repeat(5)}<a href="/part-${n}">more of part ${n}</a></p>`.repeat(21)}</section>`;

/** 30 pictures, 20 scripts and 300 KB of text. */
const article = `<!doctype html><title>Article</title><style>p { max-width: 40em }</style>
${range(20)
  .map((n) => `<script src="/script-${n}.js"></script>`)
  .join("")}<main>${range(30).map(section).join("")}</main>`;

/** 200 rectangles: some work to draw. */
const picture = `<svg xmlns="http://www.w3.org/2000/svg" width="600" height="400">${range(200)
  .map((n) => `<rect x="${n * 3}" y="${n * 2}" width="40" height="30" fill="hsl(${n} 80% 50%)"/>`)
  .join("")}</svg>`;

/** 10 KB of functions, one of which runs. */
const script = `${range(100)
  .map(
    (n) =>
      `function part${n}(a) { return [a, ${n}].map((x) => x * ${n}).reduce((x, y) => x + y); }`,
  )
  .join("\n")}\npart7(3);`;

/** An application page: it shows nothing until its script, after the load event, has fetched what it writes. */
const application = `<!doctype html><title>Application</title><main></main><script>
addEventListener("load", () => setTimeout(async () => {
  const { rows } = await (await fetch("/rows.json")).json();
  document.querySelector("main").innerHTML = "<h1>Rendered</h1>" + rows.map((row) => "<p>" + row + "</p>").join("");
}, 50));
</script>`;
const rows = JSON.stringify({ rows: range(40).map((n) => `text of paragraph ${n}: ${sentence}`) });

/** A page that keeps 300 MB for two seconds. */
const large = `<!doctype html><title>Large</title><h1>Large</h1><script>
const kept = [];
for (let n = 0; n < 30; n++) kept.push(new Uint8Array(1e7).fill(n + 1));
document.body.append("kept " + kept.length);
</script><p>text of a paragraph</p><img src="/slow.svg" alt="">`;

/** How long a server of pages that wait takes. */
export const slowMs = 2000;

const pages: Readonly<Record<string, string>> = { article, application, large };

function answerTo(path: string): [type: string, body: string] {
  if (path.endsWith(".svg")) return ["image/svg+xml", picture];
  if (path.endsWith(".js")) return ["text/javascript", script];
  if (path === "/rows.json") return ["application/json", rows];
  return ["text/html", pages[path.slice(1)] ?? small];
}

export interface Sites {
  at(host: string): { url: string; address: string };
  close(): void;
}

/** One server on every loopback address: Chromium treats each host as a separate site. */
export async function startSites(): Promise<Sites> {
  const server = createServer((request, response) => {
    const path = request.url ?? "/";
    const [type, body] = answerTo(path);
    const answer = () => response.writeHead(200, { "content-type": type }).end(body);
    if (path.startsWith("/slow")) setTimeout(answer, slowMs);
    else answer();
  });
  server.listen(0, "0.0.0.0");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    at: (host) => ({ url: `http://${host}:${port}/`, address: `${host}:${port}` }),
    close: () => server.close(),
  };
}
