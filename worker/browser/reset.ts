/// <reference lib="dom" />
import type { Protocol } from "puppeteer";
import type { Tab } from "./tab.ts";
import { desktop } from "./tab.ts";

/** A tab whose reset takes longer than this in one step is thrown away. */
const stepMs = 2000;

/** Nothing of it reaches the network: the document is handed to Chromium before it would ask. */
const blankPath = "/.blank";

/**
 * Brings a tab whose job left no taint back to the state of a new one, in the same renderer, and reads
 * back that nothing is left. Throws when anything is, or when a step fails or takes too long.
 */
export async function resetTab(tab: Tab): Promise<void> {
  const { origin, urls, taint } = tab.watch.use();
  if (taint !== undefined || origin === undefined) throw new Error(taint ?? "nothing was shown");
  tab.proxy.reset();
  await leave(tab, `${origin}${blankPath}`, "");
  const world = await isolatedWorld(tab);
  await run(world, clearFromWithin, undefined);
  await clear(tab, origin);
  const left = [
    ...(await run(
      world,
      findFromWithin,
      urls.filter((url) => url.startsWith(`${origin}/`)),
    )),
    ...(await findFromOutside(tab, origin)),
    ...(await stepAside(tab, `${origin}${blankPath}`)),
  ];
  if (left.length > 0) throw new Error(`left behind: ${left.join()}`);
  const late = tab.watch.use().taint;
  if (late !== undefined) throw new Error(late);
  // What was asked for during the reset came from the page that is gone; from here on nothing may.
  tab.proxy.reset();
}

/** Commits an empty document at the same origin, so that the page is gone while its renderer stays. */
async function leave({ cdp, frameId }: Tab, blank: string, policy: string): Promise<void> {
  const onPaused = (event: Protocol.Fetch.RequestPausedEvent) => {
    const { requestId, request } = event;
    const answer =
      request.url === blank && event.frameId === frameId && event.resourceType === "Document"
        ? cdp.send("Fetch.fulfillRequest", {
            requestId,
            responseCode: 200,
            responseHeaders: [
              { name: "content-type", value: "text/html" },
              { name: "cache-control", value: "no-store" },
              { name: "content-security-policy", value: policy },
            ],
            body: btoa("<!doctype html><link rel=icon href=data:,>"),
          })
        : cdp.send("Fetch.failRequest", { requestId, errorReason: "Aborted" });
    answer.catch(() => undefined);
  };
  cdp.on("Fetch.requestPaused", onPaused);
  try {
    const options = { timeout: stepMs };
    // Sent at once: Chromium takes the commands of a session in their order.
    const [, answer] = await Promise.all([
      cdp.send("Fetch.enable", { patterns: [{ urlPattern: "*" }] }, options),
      cdp.send("Page.navigate", { url: blank }, options),
    ]);
    if (answer.errorText !== undefined) throw new Error(answer.errorText);
    const [{ frameTree }] = await Promise.all([
      cdp.send("Page.getFrameTree", undefined, options),
      cdp.send("Fetch.disable", undefined, options),
    ]);
    if (frameTree.frame.loaderId !== answer.loaderId || frameTree.childFrames?.length) {
      throw new Error("the page stayed");
    }
  } finally {
    cdp.off("Fetch.requestPaused", onPaused);
  }
}

/**
 * A second empty document, of an opaque origin: the next page's `navigation.entries()` does not show it. Only
 * a new document tells which name the browser itself holds for the window.
 */
async function stepAside(tab: Tab, blank: string): Promise<string[]> {
  await leave(tab, blank, "sandbox allow-scripts");
  const options = { timeout: stepMs };
  const [world] = await Promise.all([
    isolatedWorld(tab),
    tab.cdp.send("Page.resetNavigationHistory", undefined, options),
  ]);
  const [name, { entries }] = await Promise.all([
    run(world, () => window.name, undefined),
    tab.cdp.send("Page.getNavigationHistory", undefined, options),
  ]);
  return [...(name ? ["window.name"] : []), ...(entries.length > 1 ? ["entries"] : [])];
}

interface World {
  tab: Tab;
  executionContextId: number;
}

async function isolatedWorld(tab: Tab): Promise<World> {
  const { executionContextId } = await tab.cdp.send(
    "Page.createIsolatedWorld",
    { frameId: tab.frameId, worldName: "reset" },
    { timeout: stepMs },
  );
  return { tab, executionContextId };
}

async function run<Input, Output>(
  { tab, executionContextId }: World,
  inPage: (input: Input) => Output | Promise<Output>,
  input: Input,
): Promise<Output> {
  const { result, exceptionDetails } = await tab.cdp.send(
    "Runtime.callFunctionOn",
    {
      executionContextId,
      functionDeclaration: String(inPage),
      arguments: [{ value: input }],
      returnByValue: true,
      awaitPromise: true,
    },
    { timeout: stepMs },
  );
  if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? "reset failed");
  return result.value as Output;
}

/** Runs in the blank document. The renderer holds copies of both storages: clearing here clears them too. */
function clearFromWithin(): void {
  // A name the page set while going away may be known to the browser only: "" must be news to it.
  window.name = "none";
  window.name = "";
  sessionStorage.clear();
  localStorage.clear();
}

async function clear({ cdp, browserCdp, contextId }: Tab, origin: string): Promise<void> {
  const options = { timeout: stepMs };
  await Promise.all([
    browserCdp.send("Storage.clearCookies", { browserContextId: contextId }, options),
    cdp.send("Storage.clearDataForOrigin", { origin, storageTypes: "all" }, options),
    cdp.send("Network.clearBrowserCache", undefined, options),
    // Switching the cache off empties the renderer's own cache in memory.
    cdp.send("Network.setCacheDisabled", { cacheDisabled: true }, options),
    cdp.send(
      "Emulation.setDeviceMetricsOverride",
      { ...desktop, deviceScaleFactor: 1, mobile: false },
      options,
    ),
  ]);
  await cdp.send("Network.setCacheDisabled", { cacheDisabled: false }, options);
}

/** Runs in the blank document: names of what is still there. */
async function findFromWithin(urls: string[]): Promise<string[]> {
  const left: string[] = [];
  const note = (name: string, present: unknown) => {
    if (present) left.push(name);
  };
  note("window.name", window.name);
  note("cookie", document.cookie);
  note("sessionStorage", sessionStorage.length);
  note("localStorage", localStorage.length);
  note("history", history.state);
  const looks: Promise<unknown>[] = [
    indexedDB.databases().then((found) => note("indexedDB", found.length)),
    navigator.permissions
      .query({ name: "geolocation" })
      .then(({ state }) => note("permission", state === "granted")),
  ];
  // These exist on secure origins only.
  if (isSecureContext) {
    looks.push(
      caches.keys().then((found) => note("caches", found.length)),
      navigator.serviceWorker
        .getRegistrations()
        .then((found) => note("serviceWorker", found.length)),
      navigator.storage.persisted().then((persisted) => note("persisted", persisted)),
      navigator.locks.query().then(({ held, pending }) => {
        note("locks", (held?.length ?? 0) + (pending?.length ?? 0));
      }),
      navigator.storage.getDirectory().then(async (root) => {
        for await (const name of (root as unknown as { keys(): AsyncIterable<string> }).keys()) {
          note("directory", name);
        }
      }),
    );
  }
  for (const url of urls) {
    looks.push(
      fetch(url, { cache: "only-if-cached", mode: "same-origin" }).then(
        () => note("cache", true),
        () => undefined,
      ),
    );
  }
  await Promise.all(looks);
  return left;
}

async function findFromOutside(tab: Tab, origin: string): Promise<string[]> {
  const { cdp, browserCdp, contextId: browserContextId, targetId } = tab;
  const options = { timeout: stepMs };
  const [{ cookies }, { usage }, { targetInfos }] = await Promise.all([
    browserCdp.send("Storage.getCookies", { browserContextId }, options),
    cdp.send("Storage.getUsageAndQuota", { origin }, options),
    browserCdp.send("Target.getTargets", undefined, options),
  ]);
  const others = targetInfos.some(
    (info) => info.browserContextId === browserContextId && info.targetId !== targetId,
  );
  return Object.entries({
    cookies: cookies.length > 0,
    usage: usage > 0,
    others,
  }).flatMap(([name, present]) => (present ? [name] : []));
}
