import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { full } from "../../faults/full.ts";
import { html, startRig, startSite } from "./rig.ts";
import type { Rig, Site } from "./rig.ts";

let rig: Rig;
let site: Site;
const long = "x".repeat(2_000_000);
/** Each would exceed its call's time in a reader that rescans parts of the page. */
const pages: Record<string, string> = {
  "/attributes": `<img data-src="${long}" alt="${long}"><a href="/a" aria-label="${long}"><i></i></a><a href="/b" title="${long}"></a>
    <p style="opacity:0;${long}">far</p><span class="${long}">text</span><math alttext="${long}"></math>`,
  "/srcset": `<img data-srcset="${"a.jpg 1w, ".repeat(200_000)}"><img data-srcset="${",".repeat(500_000)}"><p>text</p>`,
  "/noscripts": `${`<img src="data:,"><noscript><img ${"a=b ".repeat(200)}></noscript>`.repeat(5000)}<p>text</p>`,
  "/open-tags": `<noscript>${"<".repeat(100_000)}</noscript><noscript><img ${"a".repeat(100_000)}></noscript><p>text</p>`,
  "/formulas": `${'<span class="katex">'.repeat(500)}<p>text</p>${"</span>".repeat(500)}${'<span class="katex"><span><math><mi>x</mi></math></span></span>'.repeat(5000)}`,
  "/deep-formula": `<p>text</p><math>${"<mfrac><mrow>".repeat(20_000)}<mi>x</mi></math>`,
  "/braces": `<p>text</p><math alttext="${"{\\displaystyle".repeat(50_000)}${"}".repeat(50_000)}"></math>`,
  "/addresses": `<p>text ${"https://a_".repeat(100_000)} ${"https://a_ ".repeat(20_000)}</p>`,
  "/boxes": `<p>text</p>${'<span style="display:inline-block;opacity:0">a</span>'.repeat(30_000)}`,
  "/frames": `<p>text</p>${'<iframe loading=lazy src="/text" width=100 height=100></iframe>'.repeat(100)}`,
  "/nested-links": `<p>text</p><script>let at = document.body; for (let i = 0; i < 500; i += 1) {
    const a = document.createElement("a"); a.href = "/x"; at.append(a); at = a } at.innerHTML = "<i style='display:none'>deep</i>"</script>`,
  "/nested-items": `<p>text</p>${"<ul><li><ul><li>".repeat(200)}`,
  "/seals": `<p>text \uFDD300410042\uFDD4 \uFDD0</p><pre>code \uFDD30041\uFDD4</pre><img src="/i" alt="\uFDD30041\uFDD4">`,
  "/canvases": `<p>text</p>${"<canvas width=1 height=1 style='position:absolute;width:4000px;height:10000px'></canvas>".repeat(10)}`,
  "/getters": `<p>text</p><form><input name=style><input name=nextElementSibling><img name=naturalWidth src="/i"></form>
    <script>for (const name of ["alt", "currentSrc", "naturalWidth"]) Object.defineProperty(HTMLImageElement.prototype, name, { get() { for (;;); } });
    CSSStyleDeclaration.prototype.setProperty = () => { for (;;); }; window.getComputedStyle = () => { for (;;); };
    Element.prototype.getBoundingClientRect = () => { for (;;); }; Document.prototype.getAnimations = () => { for (;;); }</script>`,
};

beforeAll(async () => {
  site = await startSite((request, response) => {
    const page = pages[request.url ?? ""];
    if (page === undefined) html(response, "no such sample", 404);
    else html(response, `<!doctype html>${page}`);
  });
  rig = await startRig({ egressAllow: [`127.0.0.1:${site.port}`] });
});
afterAll(async () => {
  await rig.close();
  await site.close();
});

describe("pages made to keep a reader busy", { concurrent: !full }, () => {
  // The pages also wait for each other.
  const options = { deadlineMs: 240_000 };

  test.each(Object.keys(pages))("%s is read in time", async (path) => {
    const at = { url: `${site.origin}${path}` };
    const { markdown } = await rig.run("browser.markdown", at, options);
    expect(markdown).toContain("text");
    // A page cannot set the reader's internal marks.
    expect(markdown).not.toMatch(/[\uFDD0-\uFDEF]|\bAB?\b/);
  });

  test("a picture is taken of a page whose every getter never ends", async () => {
    const input = { url: `${site.origin}/getters`, full_page: true };
    const { size_bytes } = await rig.run("browser.screenshot", input, options);
    expect(size_bytes).toBeGreaterThan(0);
  });
});

test("pictures of more than 16 million pixels are drawn one at a time, small ones meanwhile", async () => {
  const at = { url: `${site.origin}/seals` };
  const { largePictures } = rig.pool;
  const turn = await largePictures.take("another");
  const viewport = { width: 2000, height: 2001 };
  const large = { ...at, viewport, device_scale_factor: 2, format: "jpeg" };
  const waiting = rig.run("browser.screenshot", large, { tenant: "a" });
  await vi.waitUntil(() => largePictures.counts().waiting === 1, { timeout: 60_000 });
  expect(await rig.run("browser.screenshot", at, { tenant: "a" })).toMatchObject({ format: "png" });
  expect(largePictures.counts()).toMatchObject({ running: 1, waiting: 1 });
  turn.end();
  expect(await waiting).toMatchObject({ format: "jpeg" });
  expect(largePictures.counts()).toMatchObject({ running: 0, waiting: 0 });
});

test("a picture of canvases that take more memory than a page may is refused as over its limit", async () => {
  const { message } = await rig.failure("browser.screenshot", { url: `${site.origin}/canvases` });
  expect(message).toBe("The page is over its limit: canvases of 400 million pixels");
});
