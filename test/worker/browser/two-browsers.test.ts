import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { defaultBrowsers } from "../../../worker/browser/chromium/pool.ts";
import { until } from "../../gateway.ts";
import { mainProcesses } from "./processes.ts";
import { html, settled, startRig, startSite } from "./rig.ts";
import type { Rig, Site } from "./rig.ts";

let rig: Rig;
let site: Site;
let folder: string;
/** Releases the held answers. */
const held: (() => void)[] = [];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "gateway-two-browsers-"));
  site = await startSite((_request, response) => {
    held.push(() => html(response, "<p>good</p>"));
  });
  rig = await startRig({
    egressAllow: [`127.0.0.1:${site.port}`],
    userDataDir: folder,
    browsers: 2,
  });
});
afterAll(async () => {
  await rig.close();
  await site.close();
  await rm(folder, { recursive: true, force: true });
});

test("jobs are spread over both, and one that dies takes only its own jobs with it", async () => {
  const mains = await mainProcesses(folder);
  expect(mains).toHaveLength(2);
  const jobs = ["/1", "/2", "/3", "/4"].map((path) =>
    rig.run("browser.html", { url: site.origin + path }),
  );
  const pageRequests = () => site.hits.filter((path) => /^\/\d$/.test(path));
  await until(() => pageRequests().length === 4);
  process.kill(mains[0] as number, "SIGKILL");
  // The dead browser's two pages are requested again, the others' answers are still awaited.
  await until(() => pageRequests().length === 6);
  expect(new Set(pageRequests()).size).toBe(4);
  for (const answer of held) answer();
  for (const { html: text } of await Promise.all(jobs)) expect(text).toContain("good");
  expect(rig.pool.counts().restarts).toBe(1);
  expect(pageRequests()).toHaveLength(6);
  await settled(rig);
  expect(await mainProcesses(folder)).toHaveLength(2);
});

test("by default there is one browser for every two processors, up to four", () => {
  expect([1, 2, 3, 4, 8, 64].map(defaultBrowsers)).toEqual([1, 1, 1, 2, 4, 4]);
});
