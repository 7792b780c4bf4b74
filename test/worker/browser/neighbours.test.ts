import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { RendererFinder } from "../../../worker/browser/chromium/renderer-finder.ts";
import { besideMs, full } from "../../faults/full.ts";
import { browserProcesses, mainProcesses } from "./processes.ts";
import { html, pause, settled, startRig, startSite } from "./rig.ts";
import type { Rig, Site } from "./rig.ts";

let rig: Rig;
let site: Site;
/** Parent of Chromium's profiles. */
let home: string;

const page = (script: string, body = "<p>body</p><img src=/never>") =>
  `<!doctype html>${body}<script>${script}</script>`;
const busyWorkers = (count: number) =>
  page(
    `const code=URL.createObjectURL(new Blob(['for(;;);']));for(let i=0;i<${count};i++)new Worker(code)`,
  );
/** Runs the statement as often as the page's thread allows. */
const flood = (statement: string) =>
  page(
    `let i=0;setInterval(()=>{const end=performance.now()+2;while(performance.now()<end){i++;${statement}}},0)`,
  );
/** Each from a separate site. */
const frames = (count: number, port: number) =>
  Array.from(
    { length: count },
    (_, i) => `<iframe src="http://127.0.${1 + (i >> 7)}.${1 + (i & 127)}:${port}/busy"></iframe>`,
  ).join("");

function answer(path: string, port: number): string | undefined {
  switch (path.split("?")[0]) {
    case "/good":
      return page("document.body.append('good')", "<p>Some text.</p>".repeat(40));
    case "/many-workers":
      return busyWorkers(64);
    case "/workers":
      return busyWorkers(30);
    case "/frames":
      return page("", frames(300, port));
    case "/busy":
      return page("setInterval(()=>{const end=Date.now()+20;while(Date.now()<end);},25)");
    case "/blobs":
      return page(
        "const kept=[];setInterval(()=>{const part=new Uint8Array(8e6).fill(Math.random()*255);kept.push(new Blob([part]))},5)",
      );
    case "/shared-workers":
      return page(
        "const code=URL.createObjectURL(new Blob(['onconnect=()=>{}']));setInterval(()=>{for(let i=0;i<50;i++)new SharedWorker(code,'w'+Math.random())},1)",
      );
    case "/caches":
      return flood("caches.open('c'+i)");
    case "/locks":
      return flood("navigator.locks.query();navigator.locks.request('l'+i,()=>{})");
    case "/service-workers":
      return flood("navigator.serviceWorker.register('/s.js?'+i,{scope:'/'+i})");
    case "/heavy":
      return page(
        "let h='';for(let i=0;i<20000;i++)h+='<div><p>'+i+' <b>bold</b></p></div>';document.body.innerHTML=h;const end=Date.now()+2000;while(Date.now()<end)document.body.offsetHeight",
        "",
      );
    default:
      return undefined;
  }
}

beforeAll(async () => {
  site = await startSite((request, response) => {
    const body = answer(request.url ?? "", site.port);
    if (body !== undefined) html(response, body);
  }, "0.0.0.0");
  home = mkdtempSync(join(tmpdir(), "browser-test-"));
  rig = await startRig({
    egressAllow: ["127.0.0.0/8"],
    egressPorts: [],
    userDataDir: home,
    // High, so that any new browser was caused by an attack.
    renewAfterJobs: 10_000,
    overLimitMs: undefined,
  });
});
afterAll(async () => {
  await rig.close();
  await site.close();
  rmSync(home, { recursive: true });
});
afterEach(() => settled(rig));

const at = (path: string) => ({ url: `http://127.0.0.1:${site.port}${path}` });
const middle = (times: readonly number[]) =>
  times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;
const calls = full ? 40 : 7;

interface Seen {
  times: number[];
  failed: string[];
}

/** A neighbour's sequential calls. */
async function neighbour(): Promise<Seen> {
  const seen: Seen = { times: [], failed: [] };
  for (let index = 0; index < calls; index += 1) {
    const startedAt = performance.now();
    await rig.run("browser.markdown", at("/good"), { tenant: "tenant-b" }).then(
      () => seen.times.push(Math.round(performance.now() - startedAt)),
      (error: Error) => seen.failed.push(error.message),
    );
  }
  return seen;
}

/** The neighbour's calls before, during and after repeated pairs of pages of `path`. */
async function beside(path: string, timeoutMs = 20_000) {
  const before = await neighbour();
  const over = new AbortController();
  const ends = new Map<string, number>();
  const attack = Promise.all(
    [1, 2].map(async () => {
      while (!over.signal.aborted) {
        const { signal } = over;
        const end = await rig
          .run("browser.html", { ...at(path), timeout_ms: timeoutMs }, { signal })
          .then(
            () => "answered",
            (error: Error) => (signal.aborted ? "still there at the end" : error.message),
          );
        ends.set(end, (ends.get(end) ?? 0) + 1);
      }
    }),
  );
  // Twice the time that a page needs to start its attack.
  await pause(middle(before.times) * 2);
  const during = await neighbour();
  over.abort();
  await attack;
  await settled(rig);
  const after = await neighbour();
  const alone = Math.max(middle(before.times), middle(after.times));
  console.log(
    `case 49: ${path}: neighbour ${during.times.length} of ${calls}, p50 ${middle(during.times)} ms, most ${Math.max(...during.times)} ms; alone p50 ${middle(before.times)} ms before and ${middle(after.times)} ms after, most ${Math.max(...before.times, ...after.times)} ms; attack`,
    Object.fromEntries(ends),
  );
  return { alone, during, most: Math.max(...before.times, ...after.times), ends };
}

const slackMs = full ? 100 : 3000;
const isSlowed = ({ during, alone }: { during: Seen; alone: number }) =>
  middle(during.times) >= 2 * alone + slackMs;

/** Looks again, at most twice, where the neighbour was slow: at less than full length the machine has other work. */
async function besideAtBest(path: string) {
  let seen = await beside(path);
  for (let left = full ? 0 : 2; left > 0 && isSlowed(seen); left -= 1) seen = await beside(path);
  return seen;
}

describe("case 49: greedy pages leave their neighbours their share", () => {
  test.each([
    "/workers",
    "/frames",
    "/shared-workers",
    "/caches",
    ...(full ? ["/many-workers", "/blobs", "/locks", "/service-workers"] : []),
  ])("two pages of %s", async (path) => {
    const restarts = rig.pool.counts().restarts;
    const { alone, during } = await besideAtBest(path);
    expect(during.failed.length).toBeLessThanOrEqual(calls * 0.05);
    expect(middle(during.times)).toBeLessThan(2 * alone + slackMs);
    // Without time slicing one call lasts as long as the attack.
    expect(Math.max(...during.times)).toBeLessThan(10_000 + besideMs / 4);
    expect(rig.pool.counts().restarts).toBe(restarts);
  });

  test.runIf(full)("two pages of 64 workers with a second each, again and again", async () => {
    const { alone, during } = await beside("/many-workers", 1000);
    expect(during.failed).toEqual([]);
    expect(middle(during.times)).toBeLessThan(2 * alone + 100);
  });

  test("heavy pages beside quick ones", async () => {
    const { alone, during, most, ends } = await besideAtBest("/heavy");
    expect(during.failed).toEqual([]);
    ends.delete("still there at the end");
    expect(
      ends
        .keys()
        .toArray()
        .filter((end) => end !== "answered"),
    ).toEqual([]);
    expect(middle(during.times)).toBeLessThan(2 * alone + slackMs);
    expect(Math.max(...during.times)).toBeLessThan(2 * most + (full ? 200 : besideMs));
  });

  test.runIf(full)("a page of 64 workers and one of 300 frames end with a reason", async () => {
    const workers = await rig.failure("browser.html", {
      ...at("/many-workers"),
      timeout_ms: 30_000,
    });
    expect([workers.type, workers.message]).toEqual([
      "upstream_error",
      expect.stringContaining("workers"),
    ]);
    const many = await rig.failure("browser.html", { ...at("/frames"), timeout_ms: 30_000 });
    expect([many.type, many.message]).toEqual([
      "upstream_error",
      expect.stringContaining("200 frames"),
    ]);
  });

  test.runIf(process.platform === "linux")(
    "pages of the same site in two jobs have separate processes",
    async () => {
      const finder = new RendererFinder();
      const mains = await mainProcesses(home);
      const usual = finder.find(mains).length;
      const over = new AbortController();
      const { signal } = over;
      const hanging = [1, 2, 3].map((job) =>
        rig
          .run("browser.html", at("/busy"), { tenant: `tenant-${job}`, signal })
          .catch(() => undefined),
      );
      const most = async () => {
        for (let found = 0, waited = 0; ; waited += 50) {
          found = Math.max(found, finder.find(mains).length);
          if (found === usual + 3 || waited > 60_000) return found;
          await pause(50);
        }
      };
      expect(await most()).toBe(usual + 3);
      over.abort();
      await Promise.all(hanging);
    },
  );

  test("nothing remains of a browser killed while one of its pages is stopped", async () => {
    const over = new AbortController();
    const input = { ...at("/workers"), timeout_ms: 20_000 };
    const attack = [1, 2].map(() =>
      rig.run("browser.html", input, { signal: over.signal }).catch(() => undefined),
    );
    await neighbour();
    const all = await browserProcesses(home);
    for (const { pid, isMain } of all) if (isMain) process.kill(pid, "SIGKILL");
    over.abort();
    await Promise.all(attack);
    const left = async () => {
      const now = new Set((await browserProcesses(home)).map(({ pid }) => pid));
      return all.filter(({ pid }) => now.has(pid));
    };
    for (let waited = 0; waited < 60_000 && (await left()).length > 0; waited += 100) {
      await pause(100);
    }
    expect(await left()).toEqual([]);
  });
});
