import { mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, getPriority, tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { workerThreads } from "../../../worker/browser/chromium/procfs.ts";
import { RendererFinder } from "../../../worker/browser/chromium/renderer-finder.ts";
import { heavyNice, pageLimits } from "../../../worker/browser/chromium/cpu-scheduler.ts";
import type { GatewayError } from "../../../contract/errors.ts";
import { mainProcesses } from "./processes.ts";
import { html, pause, settled, startRig, startSite } from "./rig.ts";
import type { Rig, Site } from "./rig.ts";

/** More threads than a usual page has, and not so many workers that the page is heavy. */
const idleWorkers = 2 * availableParallelism() + 4;

/** Ends each worker as soon as it is started, so that there are never many; half of them start in a subclass. */
const starts = `const empty=URL.createObjectURL(new Blob([""]));class Own extends Worker{};const kinds=[Own,Worker.prototype.constructor];
let started=0,error;for(let i=0;i<500;i++)try{new kinds[i%2](empty).terminate();started++}catch(e){error=e.name}
seen.textContent=started+" "+error`;

/** The same in a worker, which also requests 150 locks and keeps those that it gets. */
const startsInWorker = `const seen={};${starts};let held=0;
for(let i=0;i<150;i++)navigator.locks.request("l"+i,()=>{held++;return new Promise(()=>{})});
const look=async()=>{const all=await navigator.locks.query();if(held<100)setTimeout(look,5);else postMessage(seen.textContent+" "+(all.held.length+all.pending.length))};look()`;
const relayed = (code: string) =>
  `new Worker(URL.createObjectURL(new Blob([${JSON.stringify(code)}]))).onmessage=({data})=>{`;

let site: Site;
/** Parent of Chromium's profiles. */
let home: string;

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), "browser-test-"));
  site = await startSite((request, response) => {
    const path = request.url ?? "";
    if (path === "/computes") html(response, "<p>busy</p><script>for(;;);</script>");
    else if (path === "/workers") {
      const start = `for(let i=0;i<${idleWorkers};i++)new Worker(URL.createObjectURL(new Blob([''])))`;
      html(response, `<img src=/never><script>${start}</script>`);
    } else if (path === "/starts") html(response, `<pre id=seen></pre><script>${starts}</script>`);
    else if (path === "/starts-in-worker" || path === "/starts-in-nested-worker") {
      const isNested = path.includes("nested");
      const code = isNested ? `${relayed(startsInWorker)}postMessage(data)}` : startsInWorker;
      html(response, `<pre id=seen></pre><script>${relayed(code)}seen.textContent=data}</script>`);
    } else if (path === "/good") html(response, "<p>good</p>");
  });
});
afterAll(async () => {
  await site.close();
  rmSync(home, { recursive: true });
});

/** Of a heavy page; a run of tests with a niceness of its own passes it on. */
const heavy = Math.min(19, heavyNice + getPriority());

function niceOf(pid: number): number | undefined {
  try {
    return getPriority(pid);
  } catch {
    // The process has ended.
    return undefined;
  }
}

/** Polls until it holds, which must happen while the page is there. */
async function seenBefore(end: Promise<unknown>, isSo: () => boolean): Promise<void> {
  let ended: unknown;
  void end.then((outcome) => (ended = { outcome }));
  while (!isSo()) {
    if (ended !== undefined)
      throw new Error(`not seen before the page's end: ${JSON.stringify(ended)}`);
    await pause(20);
  }
}

const at = (path: string) => ({ url: `${site.origin}${path}` });

test.runIf(process.platform === "linux")(
  "a page over its processor time ends with the reason, in its slot, beside a neighbour that does not notice",
  async () => {
    const ended: unknown[] = [];
    const rig: Rig = await startRig({
      egressAllow: [`127.0.0.1:${site.port}`],
      // The whole time counts: on a machine with other work a page never has one processor all the
      // time.
      pageLimits: { ...pageLimits, processorMs: 1500, processors: 0 },
      log: (_level, message, fields) => ended.push({ message, limit: fields?.["limit"] }),
    });
    try {
      const input = { ...at("/computes"), timeout_ms: 60_000 };
      let isOver = false;
      const attack = rig.failure("browser.html", input).finally(() => (isOver = true));
      let good = 0;
      do {
        const { markdown } = await rig.run("browser.markdown", at("/good"), { tenant: "b" });
        expect(markdown).toBe("good");
        good += 1;
      } while (!isOver);
      const { type, message } = await attack;
      expect(type).toBe("upstream_error");
      expect(message).toContain("processor time");
      expect(ended).toEqual([{ message: "ended a page over its limit", limit: "processor time" }]);
      expect(good).toBeGreaterThan(0);
      expect(rig.pool.counts().restarts).toBe(0);
      await settled(rig);
    } finally {
      await rig.close();
    }
  },
);

test.runIf(process.platform === "linux")(
  "a heavy page keeps its slot for a while although its caller has left",
  async () => {
    const rig = await startRig({
      egressAllow: [`127.0.0.1:${site.port}`],
      slots: 1,
      userDataDir: home,
      // As in production.
      overLimitMs: undefined,
    });
    try {
      const over = new AbortController();
      const input = { ...at("/computes"), timeout_ms: 60_000 };
      const startedAt = performance.now();
      const attack = rig
        .run("browser.html", input, { signal: over.signal })
        .catch((error: GatewayError) => error.status);
      const finder = new RendererFinder();
      const mains = await mainProcesses(home);
      // A heavy page has a lower priority than the others.
      await seenBefore(attack, () => finder.find(mains).some((pid) => niceOf(pid) === heavy));
      over.abort();
      expect((await rig.run("browser.markdown", at("/good"))).markdown).toBe("good");
      expect(performance.now() - startedAt).toBeGreaterThan(2900);
      expect(await attack).toBe(504);
    } finally {
      await rig.close();
    }
  },
);

test.runIf(process.platform === "linux")(
  "workers of any page have a lower priority than processes that others wait for, run or not",
  async () => {
    const rig = await startRig({ egressAllow: [`127.0.0.1:${site.port}`], userDataDir: home });
    try {
      const over = new AbortController();
      const input = { ...at("/workers"), timeout_ms: 60_000 };
      const page = rig
        .run("browser.html", input, { signal: over.signal })
        .catch((error: GatewayError) => error.message);
      const finder = new RendererFinder();
      const mains = await mainProcesses(home);
      const workersOf = () => finder.find(mains).flatMap((pid) => workerThreads(pid).map(Number));
      const isAfter = (thread: number) => niceOf(thread) === heavy;
      await seenBefore(page, () => workersOf().length >= idleWorkers && workersOf().every(isAfter));
      over.abort();
      await page;
    } finally {
      await rig.close();
    }
  },
);

test.each(["worker", "nested-worker"])(
  "a %s of a page starts 200 workers in all and holds 100 locks",
  async (kind) => {
    const rig: Rig = await startRig({ egressAllow: [`127.0.0.1:${site.port}`] });
    try {
      const input = { ...at(`/starts-in-${kind}`), wait_for_selector: "#seen:not(:empty)" };
      const { html: seen } = await rig.run("browser.html", input);
      expect(seen).toContain('<pre id="seen">200 QuotaExceededError 100</pre>');
    } finally {
      await rig.close();
    }
  },
);

test("a document starts 200 workers in all", async () => {
  const rig: Rig = await startRig({ egressAllow: [`127.0.0.1:${site.port}`] });
  try {
    const { html: seen } = await rig.run("browser.html", at("/starts"));
    expect(seen).toContain('<pre id="seen">200 QuotaExceededError</pre>');
  } finally {
    await rig.close();
  }
});
