import { afterAll, beforeAll, expect, test } from "vitest";
import { html, settled, startRig, startSite } from "./rig.ts";
import type { Rig, Site } from "./rig.ts";

/** Interfaces that no page has, looked for in every realm that a page can reach. */
const withheld = ["SharedWorker", "RTCPeerConnection", "webkitRTCPeerConnection"];

/** Kinds of document that the server is asked for, each with the type of its answer. */
const documents = {
  main: "text/html",
  sandboxed: "text/html",
  elsewhere: "text/html",
  object: "text/html",
  embed: "text/html",
  xhtml: "application/xhtml+xml",
  svg: "image/svg+xml",
  refreshed: "text/html",
} as const;

/** Realms that need no answer of the server, or are reached through another one. */
const others = [
  "blank",
  "detached",
  "navigated",
  "srcdoc",
  "nested srcdoc",
  "blob",
  "data",
  "javascript",
  "written",
  "constructor",
  "worker",
  "nested worker",
];

const kinds = [...Object.keys(documents), ...others];

let site: Site;
let elsewhere: Site;
/** Names that a realm has, by its kind. */
const found = new Map<string, string[]>();
let held: (() => void) | undefined;

/** Tells the server which of the names there are in a realm; a worker of a `data:` URL has no other way either. */
const tell = (kind: string, realm = "self") =>
  `fetch("${site.origin}/found?"+encodeURIComponent(${JSON.stringify(kind)})+"="+${JSON.stringify(withheld)}.filter((name) => name in ${realm} || typeof ${realm}[name] !== "undefined"),{mode:"no-cors"});`;

const framed = (kind: string) => `<script>${tell(kind)}</script>`;
const quoted = (text: string) => JSON.stringify(text).replaceAll("</", "<\\/");

function mainPage(): string {
  const worker = (code: string) =>
    `new Worker(URL.createObjectURL(new Blob([${quoted(code)}], { type: "text/javascript" })))`;
  return `<!doctype html><body>${framed("main")}
<iframe src="${elsewhere.origin}/elsewhere"></iframe><iframe sandbox=allow-scripts src="/sandboxed"></iframe>
<object type=text/html data="/object"></object><embed type=text/html src="/embed">
<iframe src="/xhtml"></iframe><iframe src="/svg"></iframe><iframe src="/refresh"></iframe><script>
const add = (set = () => {}) => { const f = document.createElement("iframe"); set(f); document.body.append(f); return f; };
const blank = add().contentWindow; ${tell("blank", "blank")}
const maker = blank.Object.getPrototypeOf(blank).constructor.constructor("return self")(); ${tell("constructor", "maker")}
const gone = add(), left = gone.contentWindow; gone.remove(); ${tell("detached", "left")}
const moved = add().contentWindow; moved.location = "about:blank#moved"; moved.addEventListener("hashchange", () => { ${tell("navigated", "moved")} });
add((f) => { f.srcdoc = ${quoted(framed("srcdoc"))}; });
add((f) => { f.srcdoc = ${quoted(`<iframe srcdoc='${framed("nested srcdoc")}'></iframe>`)}; });
add((f) => { f.src = URL.createObjectURL(new Blob([${quoted(framed("blob"))}], { type: "text/html" })); });
add((f) => { f.src = "data:text/html," + encodeURIComponent(${quoted(framed("data"))}); });
add((f) => { f.src = "javascript:" + ${quoted(tell("javascript"))} + ";void 0"; });
const written = add().contentDocument; written.open(); written.write(${quoted(framed("written"))}); written.close();
${worker(tell("worker"))}; ${worker(worker(tell("nested worker")))};
</script><img src=/held>`;
}

function answer(path: string): string | undefined {
  const kind = path.slice(1);
  if (path === "/main") return mainPage();
  if (path === "/refresh") return `<meta http-equiv=refresh content="0;url=/refreshed">`;
  if (path === "/svg") {
    return `<svg xmlns="http://www.w3.org/2000/svg"><script><![CDATA[${tell("svg")}]]></script></svg>`;
  }
  if (path === "/xhtml") {
    return `<html xmlns="http://www.w3.org/1999/xhtml"><body><script><![CDATA[${tell("xhtml")}]]></script></body></html>`;
  }
  return kind in documents ? framed(kind) : undefined;
}

beforeAll(async () => {
  const respond: Parameters<typeof startSite>[0] = (request, response) => {
    const [path = "", query = ""] = (request.url ?? "").split("?");
    const [kind = "", names = ""] = decodeURIComponent(query).split("=");
    const text = answer(path);
    if (path === "/found") {
      found.set(kind, names.split(",").filter(Boolean));
      response.end();
      if (found.size === kinds.length) held?.();
    } else if (path === "/held") {
      held = () => response.end();
      if (found.size === kinds.length) held();
      // A kind that never answers is missing from what was found.
      setTimeout(held, 10_000);
    } else if (text === undefined) html(response, "", 404);
    else {
      const type = documents[path.slice(1) as keyof typeof documents] ?? "text/html";
      response.writeHead(200, { "content-type": type }).end(text);
    }
  };
  site = await startSite(respond);
  elsewhere = await startSite(respond, "127.0.0.2");
});
afterAll(async () => {
  await site.close();
  await elsewhere.close();
});

async function look(config: Parameters<typeof startRig>[0]): Promise<Record<string, string[]>> {
  found.clear();
  held = undefined;
  const rig: Rig = await startRig({ egressAllow: ["127.0.0.0/8"], egressPorts: [], ...config });
  try {
    await rig.run("browser.html", { url: `${site.origin}/main`, timeout_ms: 20_000 });
    await settled(rig);
    return Object.fromEntries(found);
  } finally {
    await rig.close();
  }
}

test("case 48: no kind of document or worker has an interface that is withheld", async () => {
  expect(await look({})).toEqual(Object.fromEntries(kinds.map((kind) => [kind, []])));
});

test("with nothing withheld every kind of document has them", async () => {
  const seen = await look({ withholdNothing: true });
  expect(Object.keys(seen).toSorted()).toEqual(kinds.toSorted());
  for (const [kind, names] of Object.entries(seen)) {
    if (!kind.includes("worker")) expect([kind, names]).toEqual([kind, withheld]);
  }
});
