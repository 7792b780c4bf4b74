import { mkdtemp, readFile, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { browserProcesses, mainProcesses } from "./processes.ts";
import { html, startRig, startSite } from "./rig.ts";
import type { Rig, Site } from "./rig.ts";

let rig: Rig;
let site: Site;
let folder: string;
beforeAll(async () => {
  process.env["SAMPLE_API_KEY"] = "a-credential-of-the-worker";
  folder = await mkdtemp(join(tmpdir(), "gateway-one-browser-"));
  site = await startSite((_request, response) => html(response, "<p>good</p>"));
  rig = await startRig({ egressAllow: [`127.0.0.1:${site.port}`], userDataDir: folder });
});
afterAll(async () => {
  delete process.env["SAMPLE_API_KEY"];
  await rig.close();
  await site.close();
  await rm(folder, { recursive: true, force: true });
});

const render = () => rig.run("browser.html", { url: `${site.origin}/` });
const leftInTemp = async () =>
  (await readdir(tmpdir())).filter((name) => /^\.?org\.chromium/.test(name)).toSorted();

test.runIf(process.platform === "linux")(
  "jobs that find their browser dead start one new one, and the dead one leaves nothing",
  async () => {
    const before = await leftInTemp();
    for (const pid of await mainProcesses(folder)) process.kill(pid, "SIGKILL");
    const pages = await Promise.all(Array.from({ length: 8 }, render));
    pages.push(...(await Promise.all(Array.from({ length: 8 }, render))));
    for (const page of pages) expect(page.html).toContain("good");
    await expect.poll(() => mainProcesses(folder), { timeout: 60_000 }).toHaveLength(1);
    expect(rig.pool.counts().restarts).toBe(1);
    expect((await leftInTemp()).filter((name) => !before.includes(name))).toEqual([]);
    expect(await readdir(folder)).toHaveLength(1);
  },
);

test.runIf(process.platform === "linux")(
  "no process of the browser has the worker's credentials in its environment",
  async () => {
    await render();
    const all = await browserProcesses(folder);
    expect(all.length).toBeGreaterThan(1);
    // A renderer may end in between.
    const files = all.map(({ pid }) => readFile(`/proc/${pid}/environ`, "utf8").catch(() => ""));
    const environments = await Promise.all(files);
    expect(environments.some((text) => text.includes("TMPDIR="))).toBe(true);
    for (const text of environments) expect(text).not.toContain("a-credential-of-the-worker");
  },
);
