import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { pageAt } from "./attacks/pages.ts";

/** Pages that flood what a browser keeps for all of its pages. */
const floods = [
  "never-loads",
  "shared-workers",
  "caches",
  "workers",
  "locks",
  "service-workers",
  "frames",
  "cookies",
  "databases",
  "worker-floods",
  "files",
  "dialogs",
  "downloads",
  "large-memory",
  "pressed",
  "dom",
];
/** Tries every way to an address that the gateway must not reach. */
const insidePage = (inside: string) => `<!doctype html><p>inside</p>
<img src="${inside}/img"><iframe src="${inside}/frame"></iframe><link rel=stylesheet href="${inside}/css">
<script src="${inside}/script"></script><script>
fetch("${inside}/fetch", { mode: "no-cors" }).catch(() => 0); navigator.sendBeacon("${inside}/beacon");
try { new WebSocket("${inside.replace("http", "ws")}/socket"); new EventSource("${inside}/events"); } catch {}
new Worker(URL.createObjectURL(new Blob(["fetch('${inside}/worker',{mode:'no-cors'}).catch(()=>0)"])));
setTimeout(() => location.replace("${inside}/page"), 200);
</script>`;

/** Names every trace of an earlier page that it finds, then leaves each of them. Its own mark is in its address. */
const visitor = `<!doctype html><title>A visit</title><p id=found></p><script>
// Load waits for this picture, and the picture for the page's end.
const mark = location.search.slice(1);
document.body.append(Object.assign(new Image(), { src: "/held?" + mark }));
</script><script type=module>
const seen = [];
const note = (name, value) => { if (value) seen.push(name); };
const quiet = async (run) => { try { return await run(); } catch { return undefined; } };
note("cookie", document.cookie); document.cookie = "trace=1;max-age=9999";
note("localStorage", localStorage.trace); localStorage.trace = 1;
note("sessionStorage", sessionStorage.trace); sessionStorage.trace = 1;
note("window.name", window.name); window.name = "trace";
note("history", history.state || history.length > 2);
note("indexedDB", (await indexedDB.databases()).length);
await new Promise((done) => { const open = indexedDB.open("trace"); open.onsuccess = done; open.onerror = done; });
const root = await quiet(() => navigator.storage.getDirectory());
note("files", root && await quiet(() => root.getFileHandle("trace")));
await quiet(() => root.getFileHandle("trace", { create: true }));
if (globalThis.caches) { note("caches", (await caches.keys()).length); await caches.open("trace"); }
note("serviceWorker", (await quiet(() => navigator.serviceWorker.getRegistrations()))?.length);
await quiet(() => navigator.serviceWorker.register("/worker.js"));
const channel = new BroadcastChannel("trace");
channel.onmessage = () => note("BroadcastChannel", true);
channel.postMessage("hello");
await fetch("/kept");
await new Promise((done) => setTimeout(done, 50));
found.textContent = "mark:" + mark + " seen:" + seen.join();
await fetch("/release?" + mark);
</script>`;

export interface MixedSites {
  /** "host:port" of the addresses that may be reached. */
  allowed: string;
  visit(mark: string): string;
  /** The next hostile page. */
  hostile(index: number): string;
  /** Requests that reached an address inside. */
  reachedInside(): number;
  /** Visits whose first request carried a cookie, and fetches of a file that each visit fetches once. */
  cookies(): number;
  keptFetches(): number;
  close(): void;
}

/** The site that all visitors share, one of hostile pages, and a server that no page may reach. */
export async function startMixedSites(): Promise<MixedSites> {
  let reached = 0;
  let cookies = 0;
  let kept = 0;
  const inside = createServer((_, response) => response.end("inside"));
  inside.on("connection", () => (reached += 1));
  inside.listen(0, "127.0.0.1");
  await once(inside, "listening");
  const insideUrl = `http://127.0.0.1:${(inside.address() as AddressInfo).port}`;
  const held = new Map<string, () => void>();
  const server = createServer((request, response) => {
    const { pathname, search } = new URL(request.url ?? "", "http://site");
    request.resume();
    if (pathname === "/never") return;
    if (pathname === "/held") {
      held.set(search, () => response.end());
      return;
    }
    if (pathname === "/release") {
      held.get(search)?.();
      held.delete(search);
    }
    if (pathname === "/kept") {
      kept += 1;
      response.setHeader("cache-control", "max-age=9999");
    }
    if (pathname === "/visit" && request.headers.cookie !== undefined) cookies += 1;
    const isScript = pathname === "/worker.js" || pathname === "/s.js";
    response.setHeader("content-type", isScript ? "text/javascript" : "text/html; charset=utf-8");
    const pages: Record<string, () => string | undefined> = {
      "/visit": () => visitor,
      "/inside": () => insidePage(insideUrl),
    };
    response.end(isScript ? "" : ((pages[pathname] ?? (() => pageAt(pathname)))() ?? "<p>x</p>"));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const hostilePages = [...floods, "inside"];
  return {
    allowed: `127.0.0.1:${port}`,
    visit: (mark) => `http://site.localhost:${port}/visit?${mark}`,
    hostile: (index) =>
      `http://attack.localhost:${port}/${hostilePages[index % hostilePages.length]}`,
    reachedInside: () => reached,
    cookies: () => cookies,
    keptFetches: () => kept,
    close() {
      for (const one of [inside, server]) {
        one.closeAllConnections();
        one.close();
      }
    },
  };
}
