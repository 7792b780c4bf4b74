import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { launch } from "../../../worker/browser/chromium/launch.ts";
import type { LaunchedBrowser } from "../../../worker/browser/chromium/launch.ts";
import { processTree } from "../../../worker/browser/chromium/process-tree.ts";
import { full } from "../../faults/full.ts";
import { chromium, html, settled, startRig, startSite } from "./rig.ts";
import type { Rig, Site } from "./rig.ts";
import { startBareChromium } from "./shared-context.ts";

let rig: Rig;
let site: Site;
/** An unused browser: Chromium alone writes its files. */
let idle: LaunchedBrowser;
let idleHome: string;
/** Parent of profiles and of all of Chromium's temporary files. */
let home: string;
const usualTemporary = process.env["TMPDIR"];
const marker = "planted-marker-7c1f";
/** Four jobs each. */
const rounds = full ? 25 : 8;

const planting = `<!doctype html><link rel=icon href="data:,"><p id=o></p><script>
const id = Math.random();
document.body.append(Object.assign(new Image(), { src: "/held?" + id }));
(async () => {
  const text = "${marker}".repeat(2000);
  document.cookie = "t=${marker};max-age=9999";
  localStorage.t = text;
  await (await caches.open("${marker}")).put("/x", new Response(text));
  const db = await new Promise((done) => { const open = indexedDB.open("${marker}");
    open.onupgradeneeded = () => open.result.createObjectStore("s");
    open.onsuccess = () => done(open.result); });
  const write = db.transaction("s", "readwrite");
  write.objectStore("s").put(text, 1);
  await new Promise((done) => { write.oncomplete = done; });
  await fetch("/cached?" + id);
  o.textContent = "planted";
  await fetch("/release?" + id);
})();
</script>`;

beforeAll(async () => {
  const held = new Map<string, { end(): unknown }>();
  site = await startSite((request, response) => {
    const [path, id = ""] = (request.url ?? "").split("?");
    if (path === "/held") held.set(id, response);
    else if (path === "/release") {
      held.get(id)?.end();
      response.end();
    } else if (path === "/cached") {
      response.writeHead(200, { "cache-control": "max-age=9999" }).end(marker.repeat(5000));
    } else html(response, planting);
  });
  home = mkdtempSync(join(tmpdir(), "leftovers-"));
  idleHome = mkdtempSync(join(tmpdir(), "leftovers-idle-"));
  idle = await launch({ ...chromium(), userDataDir: idleHome });
  process.env["TMPDIR"] = home;
  rig = await startRig({ egressAllow: [`127.0.0.1:${site.port}`], userDataDir: home });
});
afterAll(async () => {
  await Promise.all([rig.close(), idle.dispose()]);
  await site.close();
  if (usualTemporary === undefined) delete process.env["TMPDIR"];
  else process.env["TMPDIR"] = usualTemporary;
  for (const folder of [home, idleHome]) {
    expect(readdirSync(folder)).toEqual([]);
    rmSync(folder, { recursive: true });
  }
});

const files = (folder: string) =>
  readdirSync(folder, { recursive: true })
    .map((name) => join(folder, String(name)))
    .filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile());

/** Names without their random parts; the second of a kind gets another name than the first. */
const named = (paths: string[]) => {
  const kinds = new Map<string, number>();
  return paths.map((path) => {
    const kind = path.replace(/^.*gateway-chromium-[^/]*/, "").replace(/\d{6,}/, "#");
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
    return `${kind} ${kinds.get(kind)}`;
  });
};

/** Chromium stores some of it as UTF-16. */
const holding = (paths: string[]) =>
  paths.filter((path) => {
    const bytes = readFileSync(path);
    return bytes.includes(marker) || bytes.includes(Buffer.from(marker, "utf16le"));
  });

async function renderers(): Promise<number> {
  const tree = await processTree(process.pid);
  return tree.filter(({ pid }) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("--type=renderer");
    } catch {
      return false;
    }
  }).length;
}

test(`case 32: ${rounds * 4} jobs leave no file, no process and no context but the clean ones`, async () => {
  const batch = async (size: number) => {
    const jobs = Array.from({ length: size }, (_, index) =>
      rig.run("browser.html", { url: `${site.origin}/` }, { tenant: `t${index % 3}` }),
    );
    for (const { html: text } of await Promise.all(jobs)) expect(text).toContain(">planted<");
    await settled(rig);
  };
  for (let round = 0; round < rounds; round += 1) await batch(4);
  expect(files(home).length).toBeGreaterThan(5);
  expect(holding(files(home))).toEqual([]);
  // Both write some of their own files only after a while.
  await expect
    .poll(
      () => {
        const own = new Set(named(files(idleHome)));
        return named(files(home)).filter((name) => !own.has(name));
      },
      { timeout: 60_000 },
    )
    .toEqual([]);
  await idle.dispose();
  // One spare renderer is Chromium's own.
  expect(await renderers()).toBeLessThanOrEqual(rig.pool.counts().contexts + 1);
});

test("a page outside of any context does leave files that hold its planted data", async () => {
  const bare = await startBareChromium();
  const page = await bare.openPersistent();
  await page.goto(`${site.origin}/`);
  await expect.poll(() => holding(files(bare.home)).length, { timeout: 60_000 }).toBeGreaterThan(0);
  await bare.close();
});
