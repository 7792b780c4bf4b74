import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { confinementOf } from "../../../worker/browser/chromium/confinement.ts";
import { launch } from "../../../worker/browser/chromium/launch.ts";
import { mainProcesses } from "./processes.ts";
import { chromium, html, startRig, startSite } from "./rig.ts";
import type { Rig, Site } from "./rig.ts";

let site: Site;
let rig: Rig;
let home: string;
/** Ends the long page. */
let release = () => {};

/** Requests everything that another process draws, and reports the result. */
const drawing = `<canvas id=c width=64 height=64></canvas><p id=o style="font-family:serif"></p><script>
const kinds = ["webgl", "webgl2", "experimental-webgl"].filter((kind) => document.createElement("canvas").getContext(kind));
const flat = c.getContext("2d"); flat.fillStyle = "rgb(1,2,3)"; flat.fillRect(0, 0, 64, 64); flat.font = "20px serif";
const width = flat.measureText("drawn").width;
const picture = new Image(); picture.onload = () => o.textContent =
  "3d:" + kinds + " pixel:" + flat.getImageData(5, 5, 1, 1).data.join() + " text:" + (width > 10) + " picture:" + picture.naturalWidth;
picture.src = c.toDataURL();</script>`;

beforeAll(async () => {
  home = fs.mkdtempSync(join(tmpdir(), "confinement-"));
  site = await startSite((request, response) => {
    if (request.url === "/held") release = () => response.end();
    else html(response, request.url === "/long" ? `${drawing}<img src=/held>` : drawing);
  });
  rig = await startRig({ egressAllow: [`127.0.0.1:${site.port}`], userDataDir: home });
});
afterAll(async () => {
  await rig.close();
  await site.close();
  fs.rmSync(home, { recursive: true });
});

describe.runIf(process.platform === "linux")("case 45", () => {
  test("every process that works for a page has a system call filter and may gain no privileges", async () => {
    const rendered = rig.run("browser.html", { url: `${site.origin}/long` });
    const [pid = 0] = await mainProcesses(home);
    await expect
      .poll(() => site.hits.filter((path) => path === "/held"), { timeout: 60_000 })
      .toHaveLength(1);
    const confinement = await confinementOf(pid);
    expect(confinement).toMatchObject({ unconfined: [] });
    expect(confinement).toMatchObject({
      confined: expect.arrayContaining(["renderer", "gpu-process"]),
    });
    release();
    await rendered;
  });

  test("a page gets no WebGL, but pictures, canvases and fonts", async () => {
    const { html: page } = await rig.run("browser.html", { url: `${site.origin}/` });
    expect(page).toContain("3d: pixel:1,2,3,255 text:true picture:64");
  });

  test("a browser without its filters is reported with the names of its processes", async () => {
    const open = await launch({ ...chromium(), args: ["--disable-seccomp-filter-sandbox"] });
    try {
      await open.browser.newPage();
      const confinement = await confinementOf(open.browser.process()?.pid as number, 500);
      expect(confinement).toMatchObject({
        unconfined: expect.arrayContaining(["renderer", "gpu-process"]),
      });
    } finally {
      await open.dispose();
    }
  });
});

test("case 46: files of a crash are in the profile folder and removed with it", async () => {
  const usual = process.env["HOME"];
  const ours = fs.mkdtempSync(join(tmpdir(), "home-"));
  const profiles = fs.mkdtempSync(join(tmpdir(), "profiles-"));
  process.env["HOME"] = ours;
  try {
    const crashing = await launch({ ...chromium(), userDataDir: profiles });
    const page = await crashing.browser.newPage();
    await page.goto(`${site.origin}/?secret`).catch(() => undefined);
    const gone = new Promise((resolve) => page.once("error", resolve));
    const cdp = await page.createCDPSession();
    cdp.send("Page.crash").catch(() => undefined);
    await gone;
    const dumps = (folder: string) =>
      fs.readdirSync(folder, { recursive: true }).filter((name) => String(name).endsWith(".dmp"));
    // Headless shells write no crash files.
    if (process.env["TEST_BROWSER_KIND"] === "full") {
      await expect.poll(() => dumps(profiles), { timeout: 60_000 }).toHaveLength(1);
    }
    await crashing.dispose();
    expect(dumps(ours)).toEqual([]);
    expect(fs.readdirSync(profiles)).toEqual([]);
  } finally {
    if (usual === undefined) delete process.env["HOME"];
    else process.env["HOME"] = usual;
    fs.rmSync(ours, { recursive: true });
    fs.rmSync(profiles, { recursive: true });
  }
});
