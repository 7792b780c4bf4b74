import { resources } from "./traces.ts";

/**
 * Code shared by planting and reading pages. `load` resolves to the milliseconds a resource took.
 */
const common = `
const v = new URLSearchParams(location.search).get("v");
const within = (ms, promise = new Promise(() => {})) =>
  Promise.race([promise, new Promise((done) => setTimeout(done, ms))]);
const quiet = async (run) => { try { return await run(); } catch (error) { return undefined; } };
const timed = (start) => new Promise((done) => {
  const at = performance.now();
  start(() => done(performance.now() - at));
});
const element = (tag, kind, more) => timed((done) => {
  const made = document.createElement(tag);
  Object.assign(made, more, { onload: done, onerror: done });
  made[tag === "link" ? "href" : "src"] = "/resource/" + kind + "?v=" + v;
  document.head.append(made);
});
const load = {
  image: () => element("img", "image"),
  script: () => element("script", "script"),
  module: () => timed((done) => import("/resource/module?v=" + v).finally(done)),
  css: () => element("link", "css", { rel: "stylesheet" }),
  font: () => timed((done) => new FontFace("t", "url(/resource/font?v=" + v + ")").load().catch(() => 0).finally(done)),
  fetch: () => timed((done) => fetch("/resource/fetch?v=" + v).then((r) => r.text()).finally(done)),
  xhr: () => timed((done) => {
    const x = new XMLHttpRequest(); x.open("GET", "/resource/xhr?v=" + v); x.onloadend = done; x.send();
  }),
};
const framed = (what) => within(3000, new Promise((done) => {
  addEventListener("message", (event) => done(event.data));
  const frame = document.createElement("iframe");
  frame.src = other + "/frame-" + what + "?v=" + v;
  document.body.append(frame);
}));
`;

/** The load event waits for the picture, and the picture for the script's end. */
const page = (other: string, sub: string, script: string) => `<!doctype html>
<link rel=icon href="data:,"><body><p id=found></p><script>
const id = Math.random();
document.body.append(Object.assign(new Image(), { src: "/held?" + id }));
</script><script type=module>
const other = "${other}", sub = "${sub}";
${common}
const say = async (text) => { found.textContent = text; await fetch("/release?" + id); };
try {
${script}
} catch (error) { await say("broken:" + error.stack); }
</script>`;

export const plantPage = (other: string, sub: string, plant: string): string =>
  page(
    other,
    sub,
    `const failed = [];
for (const plant of [${plant
      .split("\n")
      .map((body) => `async () => { ${body} }`)
      .join()}]) await plant().catch((error) => failed.push(String(error)));
await quiet(() => fetch("/planted?v=" + v));
if (new URLSearchParams(location.search).has("hold")) await fetch("/stay?v=" + v);
await say("planted:" + failed.join());`,
  );

/** Reports every trace it finds; writes nothing that a later page could find. */
export const readPage = (other: string, sub: string): string =>
  page(
    other,
    sub,
    `
const seen = [];
const note = (name, value) => { if (value) seen.push(name); };
note("window.name", window.name);
note("history", history.state || history.length > 2);
note("navigation.entries", navigation.entries().length > 1 || navigation.currentEntry.getState());
note("originAgentCluster", !window.originAgentCluster);
for (const cookie of document.cookie.split("; ")) note("document.cookie " + cookie.split("=")[0], cookie);
note("localStorage", localStorage.length);
note("sessionStorage", sessionStorage.length);
note("referrer", document.referrer && !new URLSearchParams(location.search).has("bounced"));
const channel = new BroadcastChannel("t");
const received = new Promise((done) => { channel.onmessage = () => done(true); });
const shared = new SharedWorker("/shared.js", "t");
const joined = new Promise((done) => { shared.port.onmessage = (event) => done(event.data > 1); });
note("locks", (await navigator.locks.query()).held.length);
note("indexedDB", (await indexedDB.databases()).length);
note("caches", (await caches.keys()).length);
const root = await quiet(() => navigator.storage.getDirectory());
for await (const name of root?.keys() ?? []) note("opfs", name);
note("buckets", (await quiet(() => navigator.storageBuckets.keys()))?.length);
note("serviceWorker", (await navigator.serviceWorker.getRegistrations()).length || navigator.serviceWorker.controller);
for (const name of ["geolocation", "notifications", "persistent-storage"])
  note("permission", (await quiet(() => navigator.permissions.query({ name })))?.state === "granted");
note("clipboard", await within(500, quiet(() => navigator.clipboard.readText())));
const blob = await (await fetch("/noted?v=" + v)).text();
note("blob", blob && (await quiet(() => fetch(blob)))?.ok);
for (const path of ["/auth/out", "/etag", "/modified"]) await quiet(() => fetch(path + "?v=" + v));
await quiet(() => fetch(other + "/preflight?v=" + v, { headers: { "x-t": "1" } }));
for (const name of (await framed("read"))?.split(" ") ?? []) note("frame:" + name, name);
const kinds = ${JSON.stringify(resources)};
const times = await Promise.all(kinds.map((kind) => load[kind]()));
kinds.forEach((kind, index) => note("time:" + kind, times[index] < 250));
note("BroadcastChannel", await within(100, received));
note("SharedWorker", await within(300, joined));
await say("seen:" + [...new Set(seen)].join());`,
  );

export const framePlantPage = `<script>
localStorage.t = 1; document.cookie = "__Host-t=1; Secure; Path=/; Partitioned; SameSite=None";
parent.postMessage("done", "*");</script>`;

export const frameReadPage = `<script>
const seen = [];
if (document.cookie) seen.push("cookie");
try { if (localStorage.length) seen.push("localStorage"); } catch {}
parent.postMessage(seen.join(" "), "*");</script>`;
