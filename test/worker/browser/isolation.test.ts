import type { ServerResponse } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { DomTools } from "../../../worker/browser/dom.ts";
import { evaluate } from "../../../worker/browser/page/isolated-world.ts";
import { Navigation } from "../../../worker/browser/page/navigation.ts";
import { full } from "../../faults/full.ts";
import { html, settled, startRig, startSite } from "./rig.ts";
import type { Rig, Site } from "./rig.ts";

let rig: Rig;
let site: Site;
const held = new Map<string, ServerResponse>();
/** Times the cacheable file was fetched. */
let fetched = 0;

/** Leaves a trace in every store a page can write to, and reports earlier traces there. */
const probe = `<!doctype html><p id=found></p><script>
// Load waits for this picture, and the picture for the probe's end.
const id = Math.random();
document.body.append(Object.assign(new Image(), { src: "/held?" + id }));
</script><script type=module>
const seen = [];
const note = (name, value) => { if (value) seen.push(name); };
const quiet = async (run) => { try { return await run(); } catch { return undefined; } };
note("cookie", document.cookie); document.cookie = "trace=1;max-age=9999";
note("localStorage", localStorage.trace); localStorage.trace = 1;
note("sessionStorage", sessionStorage.trace); sessionStorage.trace = 1;
note("window.name", window.name); window.name = "trace";
note("history", history.state || history.length > 2); history.pushState({ trace: 1 }, "", "#trace");
note("indexedDB", (await indexedDB.databases()).length);
await new Promise((done) => { const open = indexedDB.open("trace"); open.onsuccess = done; open.onerror = done; });
const root = await quiet(() => navigator.storage.getDirectory());
note("opfs", root && await quiet(() => root.getFileHandle("trace")));
await quiet(() => root.getFileHandle("trace", { create: true }));
if (globalThis.caches) { note("caches", (await caches.keys()).length); await caches.open("trace"); }
note("permission", (await navigator.permissions.query({ name: "geolocation" })).state === "granted");
const registrations = await quiet(() => navigator.serviceWorker.getRegistrations());
note("serviceWorker", registrations?.length);
await quiet(() => navigator.serviceWorker.register("/worker.js"));
const channel = new BroadcastChannel("trace");
channel.onmessage = () => note("BroadcastChannel", true);
channel.postMessage("hello"); setInterval(() => channel.postMessage("hello"), 20);
const shared = new SharedWorker("/shared.js", "trace");
note("SharedWorker", await new Promise((done) => { shared.port.onmessage = (e) => done(e.data > 1); setTimeout(done, 400, false); }));
await fetch("/cached");
await new Promise((done) => setTimeout(done, 100));
found.textContent = "seen:" + seen.join();
await fetch("/release?" + id);
</script>`;

beforeAll(async () => {
  site = await startSite((request, response) => {
    const path = request.url ?? "";
    if (path === "/cached") {
      fetched += 1;
      response.writeHead(200, { "cache-control": "max-age=9999" }).end("c");
    } else if (path === "/worker.js") {
      response.writeHead(200, { "content-type": "text/javascript" }).end("onfetch=()=>{}");
    } else if (path === "/shared.js") {
      response
        .writeHead(200, { "content-type": "text/javascript" })
        .end("let n=0;onconnect=e=>e.ports[0].postMessage(++n)");
    } else if (path.startsWith("/held?")) held.set(path.slice(6), response);
    else if (path.startsWith("/release?")) {
      held.get(path.slice(9))?.end();
      response.end();
    } else if (path.startsWith("/auth")) {
      response.writeHead(401, { "www-authenticate": "Basic realm=x" }).end("no");
    } else html(response, probe);
  });
  // A context is what keeps SharedWorkers of two jobs apart.
  rig = await startRig({ egressAllow: [`127.0.0.1:${site.port}`], withholdNothing: true });
});
afterAll(async () => {
  await rig.close();
  await site.close();
});

const findTraces = async (tenant: string) => {
  const data = await rig.run("browser.html", { url: `${site.origin}/` }, { tenant });
  return /id="found">seen:([\w.,]*)</.exec(data.html)?.[1];
};

test("case 32: no job sees anything of another, of the same account or another", async () => {
  fetched = 0;
  // Some side by side, where channels and shared workers would meet, and some sequentially.
  const found = await Promise.all(["a", "a", "b"].map(findTraces));
  for (const tenant of ["a", "a", "b"]) found.push(await findTraces(tenant));
  expect(found).toEqual(["", "", "", "", "", ""]);
  expect(fetched).toBe(6);
  await settled(rig);
});

test("with one tab for two jobs the same probe finds its traces", async () => {
  const seen = await rig.pool.use(
    { url: `${site.origin}/`, account: "a", signal: AbortSignal.timeout(20_000) },
    async (tab) => {
      tab.proxy.open(() => undefined);
      for (let job = 0; job < 2; job += 1) {
        const navigation = new Navigation(tab);
        if (job === 0) await tab.start();
        else await tab.cdp.send("Page.navigate", { url: `${site.origin}/` });
        await navigation.settled("load");
        navigation.stop();
      }
      const text = (dom: DomTools) => dom.outerHtml(dom.root(document) as Element);
      return evaluate(tab, text, undefined, 5000);
    },
  );
  const names = /id="found">seen:([\w.,]*)</.exec(seen)?.[1]?.split(",") ?? [];
  expect(names).toEqual(
    expect.arrayContaining([
      "cookie",
      "localStorage",
      "sessionStorage",
      "window.name",
      "indexedDB",
    ]),
  );
});

/** Four jobs each. */
const batches = full ? 25 : 8;

test(`case 32: ${batches * 4} jobs leave no context but those held ready`, async () => {
  for (let batch = 0; batch < batches; batch += 1) {
    const errors = await Promise.all(
      [0, 1, 2, 3].map((index) =>
        rig.failure("browser.html", { url: `${site.origin}/auth?${batch}.${index}` }),
      ),
    );
    expect(errors.map(({ type }) => type)).toEqual(Array(4).fill("upstream_error"));
  }
  await settled(rig);
});
