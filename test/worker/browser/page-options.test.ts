import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { operations } from "../../../contract/index.ts";
import { languageTags } from "../../../worker/browser/page/page-options.ts";
import { html, startRig, startSite } from "./rig.ts";
import type { Rig, Site } from "./rig.ts";

let rig: Rig;
let site: Site;
let acceptLanguage: string | undefined;
const pages: Record<string, string> = {
  "/late": `<!doctype html><p>first</p><script>setTimeout(() => {
    document.body.insertAdjacentHTML("beforeend", '<p class="late">second</p>') }, 3000)</script>`,
  "/said": `<!doctype html><html lang=" pt-BR "><head><title> Two
    words </title><meta name=Description content="About &amp; more"><link rel="x CANONICAL" href="/home#x"></head><body>x`,
  "/silent": "<p>x",
  "/speaks": `<p id=p></p><script>p.textContent = navigator.languages.join() + " " + navigator.language</script>`,
  "/screen": `<!doctype html><meta name=viewport content="width=device-width"><body style="margin:0;height:2000px">
    <style>@media (prefers-color-scheme: dark) { body { background: #000 } }</style><div id=box style="width:100px;height:50px"></div>`,
  "/no-viewport-element": `<!doctype html><body><p id=w></p>`,
  "/tall": `<!doctype html><body style="margin:0;height:9000px">`,
};

beforeAll(async () => {
  site = await startSite((request, response) => {
    acceptLanguage = request.headers["accept-language"];
    const page = pages[request.url ?? ""];
    if (page === undefined) html(response, "no such sample", 404);
    else html(response, page);
  });
  rig = await startRig({ egressAllow: [`127.0.0.1:${site.port}`] });
});
afterAll(async () => {
  await rig.close();
  await site.close();
});

describe.concurrent("wait_for_selector", () => {
  test("waits for an element that appears after the stage", async () => {
    const at = { url: `${site.origin}/late` };
    expect((await rig.run("browser.markdown", at)).markdown).toBe("first");
    const waited = await rig.run("browser.markdown", { ...at, wait_for_selector: "p.late" });
    expect(waited.markdown).toBe("first\n\nsecond");
  });

  test("without a match it is 504 within the caller's own time", async () => {
    const error = await rig.failure("browser.html", {
      url: `${site.origin}/late`,
      timeout_ms: 6000,
      wait_for_selector: "#never",
    });
    expect([error.type, error.status]).toEqual(["upstream_unavailable", 504]);
    expect(error.message).toContain("wait_for_selector");
  });

  test("a selector that is not CSS is refused before the page is requested", async () => {
    const error = await rig.failure("browser.links", {
      url: `${site.origin}/never-requested`,
      wait_for_selector: "p:::",
    });
    expect(error.issues).toEqual([
      expect.objectContaining({ in: "body", path: "wait_for_selector" }),
    ]);
    expect(site.hits).not.toContain("/never-requested");
  });
});

describe("include_metadata", () => {
  test("returns the document's own metadata and its response", async () => {
    for (const id of ["browser.html", "browser.markdown"] as const) {
      const answer = await rig.run(id, { url: `${site.origin}/said`, include_metadata: true });
      expect(answer.metadata).toEqual({
        title: "Two words",
        description: "About & more",
        language: "pt-BR",
        canonical_url: `${site.origin}/home#x`,
        status: 200,
        content_type: "text/html",
      });
    }
  });

  test("names nothing that the document lacks, and is absent unless requested", async () => {
    const at = { url: `${site.origin}/silent` };
    const { metadata } = await rig.run("browser.html", { ...at, include_metadata: true });
    expect(metadata).toEqual({ status: 200, content_type: "text/html" });
    expect(await rig.run("browser.html", at)).not.toHaveProperty("metadata");
  });
});

describe("accept_language", () => {
  test("is sent and seen by scripts, for this call only", async () => {
    const at = { url: `${site.origin}/speaks` };
    const usual = (await rig.run("browser.markdown", at)).markdown;
    const accept_language = "en;q=0.5, de-CH , de;q=0.9, fr;q=0";
    const languages = (await rig.run("browser.markdown", { ...at, accept_language })).markdown;
    expect(languages).toBe("de-CH,de,en de-CH");
    expect(acceptLanguage).toBe("de-CH,de;q=0.9,en;q=0.8");
    expect((await rig.run("browser.markdown", at)).markdown).toBe(usual);
  });

  test("keeps the order of equal weights", () => {
    expect(languageTags("fr, de;q=1.0,en; q=0.3")).toEqual(["fr", "de", "en"]);
  });
});

function size(base64: string): { width: number; height: number } {
  const bytes = Buffer.from(base64, "base64");
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}

describe.concurrent("a screen of another kind", () => {
  const viewport = { width: 300, height: 200 };
  const shoot = async (path: string, options: object) =>
    (await rig.run("browser.screenshot", { url: `${site.origin}${path}`, viewport, ...options }))
      .image_base64;

  test("device_scale_factor multiplies the pixels of viewport, page and element", async () => {
    const scaled = (options: object) => shoot("/screen", { device_scale_factor: 2, ...options });
    expect(size(await scaled({}))).toEqual({ width: 600, height: 400 });
    expect(size(await scaled({ full_page: true }))).toEqual({ width: 600, height: 4000 });
    expect(size(await scaled({ selector: "#box" }))).toEqual({ width: 200, height: 100 });
  });

  test("a picture beyond 16,384 pixels a side is refused, even when the scale causes it", async () => {
    expect(size(await shoot("/tall", { full_page: true }))).toEqual({ width: 300, height: 9000 });
    const error = await rig.failure("browser.screenshot", {
      url: `${site.origin}/tall`,
      viewport,
      full_page: true,
      device_scale_factor: 2,
    });
    expect([error.type, error.status]).toEqual(["upstream_error", 502]);
    expect(error.message).toContain("600 x 18000");
  });

  test("color_scheme changes what the page draws", async () => {
    expect(await shoot("/screen", { color_scheme: "dark" })).not.toBe(await shoot("/screen", {}));
    expect(await shoot("/screen", { color_scheme: "light" })).toBe(await shoot("/screen", {}));
  });

  test("mobile obeys the viewport element, whose absence means a wide page", async () => {
    const full = (path: string, options: object) => shoot(path, { full_page: true, ...options });
    expect(size(await full("/screen", { mobile: true })).width).toBe(300);
    expect(size(await full("/no-viewport-element", { mobile: true })).width).toBe(980);
    expect(size(await full("/no-viewport-element", {})).width).toBe(300);
  });
});

test("every fault names its field", () => {
  const paths = (id: string, input: object) =>
    operations
      .get(id)
      ?.input.safeParse({ url: "https://example.com/", ...input })
      .error?.issues.map(({ path }) => path.join("."));
  expect(paths("browser.links", { accept_language: "deutsch bitte" })).toEqual(["accept_language"]);
  expect(paths("browser.html", { accept_language: "de\r\nx: y" })).toEqual(["accept_language"]);
  expect(paths("browser.html", { wait_for_selector: "" })).toEqual(["wait_for_selector"]);
  const large = { viewport: { width: 3840, height: 3840 }, device_scale_factor: 3 };
  expect(paths("browser.screenshot", large)).toEqual(["device_scale_factor"]);
  expect(paths("browser.screenshot", { device_scale_factor: 5 })).toEqual(["device_scale_factor"]);
  expect(paths("browser.screenshot", { color_scheme: "blue" })).toEqual(["color_scheme"]);
  expect(paths("browser.screenshot", { mobile: 1 })).toEqual(["mobile"]);
  expect(paths("browser.markdown", { main_content_only: "yes" })).toEqual(["main_content_only"]);
});
