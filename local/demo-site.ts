import { createServer } from "node:http";
import type { Server } from "node:http";
import { once } from "node:events";

/** Text that only JavaScript adds, which proves that a reader ran the page's scripts. */
export const demoText = "This sentence was built by JavaScript after the page had loaded.";

/** Sentence of a page that a crawl finds, in its HTML as the server sends it. */
export const linkedText = "The garden of this made-up tea house has five rows of bushes.";

const html = (title: string, body: string) => `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>${title}</title></head>
<body>
${body}
</body>
</html>
`;

const start = html(
  "A page that builds itself",
  `<main id="main"></main>
<p>Two pages that a crawl finds: <a href="/garden">the garden</a> and <a href="/prices">the prices</a>.</p>
<script>
  const words = ${JSON.stringify(demoText.split(" "))};
  const add = (name, text) => {
    const element = document.createElement(name);
    element.textContent = text;
    document.getElementById("main").append(element);
    return element;
  };
  add("h1", "Hello from " + ["a page", "that", "builds", "itself"].join(" "));
  add("p", words.join(" "));
  const list = add("ul", "");
  for (const step of ["load the page", "run its script", "read what it wrote"]) {
    const item = document.createElement("li");
    item.textContent = step;
    list.append(item);
  }
</script>`,
);

const pages: Readonly<Record<string, string>> = {
  "/": start,
  "/garden": html(
    "The garden",
    `<h1>The garden</h1><p>${linkedText}</p><p><a href="/">Back</a></p>`,
  ),
  "/prices": html(
    "The prices",
    `<h1>The prices</h1><p>Made-up prices of a pot.</p>
<table><tr><th>Tea</th><th>Price</th></tr><tr><td>Green</td><td>3.20</td></tr><tr><td>Black</td><td>2.90</td></tr></table>
<p><a href="/">Back</a></p>`,
  ),
};

/** Serves the pages on loopback, the only internal address that the local start opens in the SSRF filter. */
export async function serveDemoSite(port: number): Promise<Server> {
  const server = createServer((request, response) => {
    const page = request.method === "GET" ? pages[request.url ?? ""] : undefined;
    response.writeHead(page === undefined ? 404 : 200, {
      "content-type": "text/html; charset=utf-8",
    });
    response.end(page);
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  return server;
}
