import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { storageBytes } from "../../../worker/browser/page/storage.ts";
import { full } from "../../faults/full.ts";
import { html, startRig, startSite } from "./rig.ts";
import type { Rig, Site } from "./rig.ts";

let rig: Rig;
let site: Site;
/** Parent of Chromium's profile. */
let home: string;

const mb = 1_000_000;
/** Bytes that each attempt tries to store. */
const attemptBytes = full ? 1000 * mb : 240 * mb;

/**
 * Stores as much incompressible data as allowed, in a store of each kind, and reports the amount.
 */
const attack = `<!doctype html><p>frame</p><script>
const part = new Uint8Array(4e6);
for (let at = 0; at < part.length; at += 50000) crypto.getRandomValues(part.subarray(at, at + 50000));
const asked = (request) => new Promise((resolve, reject) => {
  request.onsuccess = () => resolve(request.result);
  request.onerror = () => reject(request.error);
});
const stores = {
  async IndexedDB() {
    const opening = indexedDB.open("kept");
    opening.onupgradeneeded = () => opening.result.createObjectStore("parts");
    const database = await asked(opening);
    return (n) => new Promise((resolve, reject) => {
      const change = database.transaction("parts", "readwrite");
      change.objectStore("parts").put(part, n);
      change.oncomplete = resolve;
      change.onabort = () => reject(change.error);
    });
  },
  async Cache() {
    const cache = await caches.open("kept");
    return (n) => cache.put("/part-" + n, new Response(part));
  },
  async files() {
    const folder = await navigator.storage.getDirectory();
    return async (n) => {
      const file = await folder.getFileHandle("part-" + n, { create: true });
      const writable = await file.createWritable();
      await writable.write(part);
      await writable.close();
    };
  },
};
(async () => {
  const report = {};
  for (const [name, open] of Object.entries(stores)) {
    report[name] = { bytes: 0 };
    try {
      const store = await open();
      for (let n = 0; report[name].bytes < ${attemptBytes}; n += 1) {
        await store(n);
        report[name].bytes += part.length;
      }
    } catch (error) {
      report[name].error = error.name;
    }
  }
  if (parent !== window) return parent.postMessage(report, "*");
  document.body.append(JSON.stringify(report));
  document.body.id = "report";
})();
</script>`;

/** Reports the results of all its frames. */
const around = (frames: string) => `<!doctype html>${frames}<script>
const report = [];
addEventListener("message", ({ data }) => {
  report.push(data);
  if (report.length < document.querySelectorAll("iframe").length) return;
  document.body.innerText = JSON.stringify(report);
  document.body.id = "report";
});
</script>`;

const at = (host: string, path: string) => `http://${host}:${site.port}${path}`;

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), "browser-test-"));
  site = await startSite((request, response) => {
    switch (request.url) {
      case "/attack":
        return html(response, attack);
      case "/redirected":
        response.writeHead(302, { location: at("127.0.0.9", "/attack") });
        return response.end();
      case "/frames":
        return html(
          response,
          around(
            `<iframe src="${at("127.0.0.2", "/attack")}"></iframe><iframe credentialless src="${at("127.0.0.3", "/attack")}"></iframe>`,
          ),
        );
      default:
        return undefined;
    }
  }, "0.0.0.0");
  rig = await startRig({
    egressAllow: ["127.0.0.0/8"],
    egressPorts: [],
    userDataDir: home,
  });
});
afterAll(async () => {
  await rig.close();
  await site.close();
  rmSync(home, { recursive: true, force: true });
});

function bytesIn(folder: string): number {
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).reduce((sum, name) => {
    const found = statSync(join(folder, name), { throwIfNoEntry: false });
    return sum + (found?.isFile() ? found.size : 0);
  }, 0);
}

interface StoreReport {
  bytes: number;
  error?: string;
}

async function report(path: string): Promise<unknown> {
  const { markdown } = await rig.run("browser.markdown", {
    url: at("127.0.0.1", path),
    wait_for_selector: "#report",
    timeout_ms: 60_000,
  });
  return JSON.parse(markdown.replaceAll("\\", "").replace(/^[^[{]*/, "")) as unknown;
}

/** Bytes stored in total; each store must refuse in the end. */
function stored(stores: Record<string, StoreReport>, isFrame = false): number {
  expect(Object.keys(stores)).toEqual(["IndexedDB", "Cache", "files"]);
  for (const { bytes, error } of Object.values(stores)) {
    // Full Chromium gives frames of other sites no store at all.
    if (isFrame && process.env["TEST_BROWSER_KIND"] === "full" && bytes === 0)
      expect(error).toMatch(/^(QuotaExceeded|Security|Unknown)Error$/);
    else expect(error).toBe("QuotaExceededError");
  }
  return Object.values(stores).reduce((sum, { bytes }) => sum + bytes, 0);
}

describe("case 49: a page's storage is bounded", () => {
  test.each(["/attack", "/redirected"])(
    "by half of the limit for the page itself: %s",
    async (path) => {
      const bytes = stored((await report(path)) as Record<string, StoreReport>);
      expect(bytes).toBeGreaterThan(storageBytes / 4);
      expect(bytes).toBeLessThanOrEqual(storageBytes / 2);
    },
  );

  test("with its frames of other origins by the whole limit", async () => {
    const bytes = ((await report("/frames")) as Record<string, StoreReport>[]).map((stores) =>
      stored(stores, true),
    );
    expect(bytes).toHaveLength(2);
    expect(Math.max(...bytes)).toBeLessThanOrEqual(storageBytes / 4);
    expect(Math.min(...bytes)).toBeLessThanOrEqual(storageBytes / 8);
  });

  test("and none of it is on the disk", () => {
    expect(bytesIn(home)).toBeLessThan(50 * mb);
  });
});
