import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { besideMs, full } from "../../faults/full.ts";
import { until } from "../../gateway.ts";
import { mainProcesses } from "./processes.ts";
import { html, settled, startRig, startSite } from "./rig.ts";
import type { Rig, Site } from "./rig.ts";

/** Browsers whose main process answers nothing. */

let rig: Rig;
let site: Site;
let home: string;
/** Ends the answers that are held. */
const held: (() => void)[] = [];
beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), "browser-test-"));
  site = await startSite((request, response) => {
    const answer = () => html(response, "<p>good</p>");
    if (request.url === "/held") held.push(answer);
    else answer();
  });
  rig = await startRig({ egressAllow: [`127.0.0.1:${site.port}`], userDataDir: home });
});
afterAll(async () => {
  await rig.close();
  await site.close();
  rmSync(home, { recursive: true });
});

const render = async (path: string) => {
  const { html: text } = await rig.run("browser.html", { url: site.origin + path });
  return text;
};

async function freeze(): Promise<number> {
  const [main] = await mainProcesses(home);
  if (main === undefined) throw new Error("no browser");
  process.kill(main, "SIGSTOP");
  return main;
}

test("a frozen browser is replaced, and the next page rendered in another one", async () => {
  const { restarts } = rig.pool.counts();
  const frozen = await freeze();
  const startedAt = performance.now();
  expect(await render("/")).toContain("good");
  expect(performance.now() - startedAt).toBeLessThan(5000 + besideMs);
  expect(rig.pool.counts().restarts).toBe(restarts + 1);
  await until(async () => !(await mainProcesses(home)).includes(frozen));
  await settled(rig);
  expect(await mainProcesses(home)).toHaveLength(1);
});

test("pages of a browser that freezes under them run again in another one", async () => {
  const { restarts } = rig.pool.counts();
  site.hits.length = 0;
  const asked = () => site.hits.filter((path) => path === "/held").length;
  const jobs = [render("/held"), render("/held")];
  await until(() => asked() === 2);
  await freeze();
  await until(() => asked() === 4);
  for (const answer of held) answer();
  for (const text of await Promise.all(jobs)) expect(text).toContain("good");
  expect(rig.pool.counts().restarts).toBe(restarts + 1);
  await settled(rig);
});

test("a page whose browser ends twice may be asked for again: another page may have ended it", async () => {
  site.hits.length = 0;
  const ended = rig.failure("browser.html", { url: `${site.origin}/held` });
  for (const asked of [1, 2]) {
    await until(() => site.hits.filter((path) => path === "/held").length === asked);
    for (const main of await mainProcesses(home)) process.kill(main, "SIGKILL");
  }
  const { type, status, message, retryAfter } = await ended;
  expect({ type, status, message, retryAfter }).toEqual({
    type: "upstream_unavailable",
    status: 503,
    message: "The browser ended while it had the page",
    retryAfter: 1,
  });
  expect(await render("/")).toContain("good");
  await settled(rig);
});

test("a worker that stands still itself takes no browser for a silent one", async () => {
  const { restarts } = rig.pool.counts();
  held.length = 0;
  const job = render("/held");
  await until(() => held.length === 1);
  for (let stall = 0; stall < (full ? 4 : 2); stall += 1) {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2500);
    // One turn of the loop: its timers first, then what the browser has answered meanwhile.
    await new Promise((resolve) => setImmediate(resolve));
  }
  held[0]?.();
  expect(await job).toContain("good");
  expect(rig.pool.counts().restarts).toBe(restarts);
});
