import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { until } from "../../gateway.ts";
import { mainProcesses } from "./processes.ts";
import { chromium, html, startRig, startSite } from "./rig.ts";
import type { Rig, Site } from "./rig.ts";

/**
 * A browser that has served its share of jobs makes way for the next one, which starts without
 * delaying jobs.
 */

let rig: Rig;
let site: Site;
let folder: string;
/** While this file exists no browser starts. */
let held: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "gateway-renewal-"));
  held = join(folder, "held");
  const script = join(folder, "launch.sh");
  await writeFile(script, `while [ -e '${held}' ]; do sleep 0.05; done\nexec "$@"\n`);
  site = await startSite((_request, response) => html(response, "<p>good</p>"));
  rig = await startRig({
    egressAllow: [`127.0.0.1:${site.port}`],
    launcher: ["/bin/sh", script, ...chromium().launcher],
    userDataDir: folder,
    renewAfterJobs: 3,
  });
});
afterAll(async () => {
  await rm(held, { force: true });
  await rig.close();
  await site.close();
  await rm(folder, { recursive: true, force: true });
});

const render = async () => (await rig.run("browser.html", { url: `${site.origin}/` })).html;

test("jobs run in the old browser until the new one is ready, and then the old one ends", async () => {
  const [old] = await mainProcesses(folder);
  for (let job = 0; job < 3; job += 1) await render();
  await writeFile(held, "");
  for (let job = 0; job < 5; job += 1) expect(await render()).toContain("good");
  expect(rig.pool.counts().restarts).toBe(0);

  await rm(held);
  await until(async () => rig.pool.counts().restarts === 1);
  expect(await render()).toContain("good");
  await until(async () => !(await mainProcesses(folder)).includes(old as number));
  expect(await mainProcesses(folder)).toHaveLength(1);
});

test("when the old one dies before the new one is ready, jobs wait for that one and no third starts", async () => {
  const before = rig.pool.counts().restarts;
  const present = await mainProcesses(folder);
  expect(present).toHaveLength(1);
  await writeFile(held, "");
  // The third job was the last of the present browser's share; then a new one is requested, and
  // held.
  for (let job = 0; job < 3; job += 1) await render();
  process.kill(present[0] as number, "SIGKILL");
  const pages = Promise.all([render(), render()]);
  await rm(held);
  for (const page of await pages) expect(page).toContain("good");
  expect(rig.pool.counts().restarts).toBe(before + 1);
  await until(async () => (await mainProcesses(folder)).length === 1);
});
