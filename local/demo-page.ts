import { createServer } from "node:http";
import type { Server } from "node:http";
import { once } from "node:events";

/** Text that only JavaScript adds, which proves that a reader ran the page's scripts. */
export const demoText = "This sentence was built by JavaScript after the page had loaded.";

const page = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>A page that builds itself</title></head>
<body>
<noscript>Without JavaScript there is nothing here.</noscript>
<main id="main"></main>
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
</script>
</body>
</html>
`;

/** Serves the page on loopback, the only internal address that the local start opens in the SSRF filter. */
export async function serveDemoPage(port: number): Promise<Server> {
  const server = createServer((request, response) => {
    const found = request.method === "GET" && request.url === "/";
    response.writeHead(found ? 200 : 404, { "content-type": "text/html; charset=utf-8" });
    response.end(found ? page : "");
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  return server;
}
