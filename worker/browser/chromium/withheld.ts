/**
 * WebRTC finds no way out, but Chromium opens UDP ports for it on every address of the machine, and no setting of
 * Chromium's keeps them closed. This script runs in every document before the page's own scripts. Frames of other
 * sites share the page's process (see `flags.ts`), so the script runs in them too.
 */
export const withholding = `for (const name of ["RTCPeerConnection", "webkitRTCPeerConnection"]) delete globalThis[name];`;

/**
 * Calls that cost the browser's main thread more than the page, with how many of them a document or worker may await
 * at once; further ones wait there. A page that makes them in a loop would keep that thread from all other pages.
 * Held locks count too.
 */
const paced: readonly (readonly [owner: string, method: string, atOnce: number])[] = [
  ...["open", "has", "delete", "keys", "match"].map((name) => ["CacheStorage", name, 8] as const),
  ["LockManager", "query", 2],
  ["LockManager", "request", 100],
  ...["register", "getRegistration", "getRegistrations"].map(
    (name) => ["ServiceWorkerContainer", name, 2] as const,
  ),
];

/**
 * Most workers that a document or worker may start in all; further ones are errors. The browser's main process sets up each of
 * them, which takes longer than the page needs to start and end it.
 */
const mostWorkers = 200;

/** Runs in every document and worker before the page's own scripts; later changes of built-ins by the page do not reach it. */
export const pacing = `{
const { Promise, DOMException, Worker } = globalThis, { apply, construct } = Reflect;
if (Worker) {
  let left = ${mostWorkers};
  const limited = new Proxy(Worker, { construct(native, given, target) {
    if (left <= 0) throw new DOMException("No further worker can be started.", "QuotaExceededError");
    left -= 1;
    return construct(native, given, target);
  } });
  globalThis.Worker = Worker.prototype.constructor = limited;
}
for (const [owner, method, atOnce] of ${JSON.stringify(paced)}) {
  const { prototype } = globalThis[owner] ?? {}, native = prototype?.[method];
  if (!native) continue;
  let free = atOnce, first, last;
  const end = () => {
    if (!first) { free += 1; return; }
    const { go } = first;
    first = first.next;
    if (!first) last = undefined;
    go();
  };
  ({ [method]: prototype[method] } = { async [method](...given) {
    if (free > 0) free -= 1;
    else await new Promise((go) => {
      const entry = { __proto__: null, go, next: undefined };
      if (last) last.next = entry; else first = entry;
      last = entry;
    });
    try { return await apply(native, this, given); } finally { end(); }
  } });
}
}`;

/**
 * Interfaces that Chromium itself leaves out of every document and worker. The browser's main thread sets up each
 * SharedWorker, and a page that starts them in a loop keeps that thread from all other pages.
 */
export const withheldFeatures: readonly string[] = ["SharedWorker"];
