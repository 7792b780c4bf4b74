import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { html, startRig, startSite } from "./rig.ts";
import type { Rig, Site } from "./rig.ts";

let rig: Rig;
let site: Site;
const ahead = (name: string) => `<a href="/${name}">${name}</a>`;
/** A page with an element that is taller than the viewport, and with a part of it that sticks. */
const tall = (floating: string) => `<!doctype html><body style="margin:0">${floating}
  <div style="height:700px"></div><table id=tall style="width:200px;border-spacing:0;border-collapse:collapse;background:#f00">
  <thead style="position:sticky;top:0;height:30px;background:#0f0"><tr><th style="padding:0">head</th></tr></thead>
  <tr><td style="height:1200px;padding:0">rows</td></tr></table><div style="height:2000px"></div>`;
const pages: Record<string, string> = {
  "/links": `<!doctype html><base href="/base/"><style>a{display:block}.wrap{overflow:hidden;height:0}</style>
    <a href="one">1</a><a href="/two#x">2</a><a href="one">again</a><a href="//other.example/p">o</a>
    <a href="https://sub.example.com/">s</a><a href="mailto:a@b.c">m</a><a href="javascript:0">j</a><a>none</a>
    <map name=m><area href="/area"></map><a href="http://[bad">bad</a><a href="ftp://x/">ftp</a>
    <a href="/none" style="display:none">n</a><a href="/hidden" style="visibility:hidden">h</a>
    <a href="/clear" style="opacity:0">c</a><div style="opacity:0">${ahead("in-clear")}</div>
    <a href="/clip" style="position:absolute;clip:rect(0,0,0,0)">c</a><div class=wrap>${ahead("cut")}</div>
    <a href="/aria" aria-hidden="true">aria</a><a href="/empty"></a>
    <a href="/floated" style="display:inline"><img style="float:left;width:9px;height:9px"></a>
    <div style="height:9000px"></div><a href="/below">below</a>`,
  "/picture": `<!doctype html><body style="margin:0"><div id=box style="position:absolute;left:40px;top:1500px;width:120px;height:80px;background:#f00"></div>
    <div class=zero style="width:0;height:0"></div><div style="height:3000px"></div>`,
  "/plain": tall(""),
  "/framed":
    tall(`<header style="position:fixed;top:0;left:0;right:0;height:70px;background:#00f"></header>
    <aside style="position:fixed;bottom:0;left:0;right:0;height:60px;background:#0ff"></aside>
    <nav style="position:sticky;top:0;height:40px;margin-bottom:-40px;background:#000">menu</nav>`),
  "/flat": `<!doctype html><body style="margin:0;height:100px"><i id=t></i>`,
};

beforeAll(async () => {
  site = await startSite((request, response) => {
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

describe("links", () => {
  const run = async (options: object) => {
    const { links } = await rig.run("browser.links", { url: `${site.origin}/links`, ...options });
    return links.map((link) => link.replace(site.origin, ""));
  };

  test("are absolute, in document order, once each, and of the web only", async () => {
    const links = await run({});
    expect(links.slice(0, 5)).toEqual([
      "/base/one",
      "/two#x",
      "http://other.example/p",
      "https://sub.example.com/",
      "/area",
    ]);
    expect(links.at(-1)).toBe("/below");
    expect(new Set(links).size).toBe(links.length);
    expect(links.filter((link) => !/^(\/|https?:)/.test(link))).toEqual([]);
  });

  test("visible links have a box in the viewport that nothing hides", async () => {
    expect(await run({ visible_links_only: true })).toEqual([
      "/base/one",
      "/two#x",
      "http://other.example/p",
      "https://sub.example.com/",
      "/aria",
      "/floated",
    ]);
  });

  test("external links are dropped by registrable domain", async () => {
    const links = await run({ exclude_external_links: true });
    expect(links).toContain("/below");
    expect(links.filter((link) => link.startsWith("http"))).toEqual([]);
  });
});

/** Width and height of a PNG; colour type 6 has an alpha channel. */
function png(base64: string): { width: number; height: number } {
  const bytes = Buffer.from(base64, "base64");
  expect(bytes.subarray(1, 4).toString()).toBe("PNG");
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}

describe("screenshot", () => {
  const shoot = (options: object) =>
    rig.run("browser.screenshot", { url: `${site.origin}/picture`, ...options });

  test("is a PNG of the default viewport unless requested otherwise", async () => {
    const data = await shoot({});
    expect(data.format).toBe("png");
    expect(png(data.image_base64)).toEqual({ width: 1920, height: 1080 });
    expect(data.size_bytes).toBe(Buffer.from(data.image_base64, "base64").length);
  });

  test("covers the viewport, the page, or the requested element; the element wins", async () => {
    const viewport = { width: 640, height: 480 };
    const size = async (options: object) =>
      png((await shoot({ viewport, ...options })).image_base64);
    expect(await size({})).toEqual(viewport);
    expect(await size({ full_page: true })).toEqual({ width: 640, height: 3000 });
    expect(await size({ selector: "#box" })).toEqual({ width: 120, height: 80 });
    expect(await size({ selector: "#box", full_page: true })).toEqual({ width: 120, height: 80 });
  });

  test("of an element has nothing of what stays in place while the page scrolls", async () => {
    const picture = (path: string) =>
      rig.run("browser.screenshot", {
        url: `${site.origin}${path}`,
        viewport: { width: 640, height: 480 },
        selector: "#tall",
      });
    const [framed, plain] = [await picture("/framed"), await picture("/plain")];
    expect(png(framed.image_base64)).toEqual({ width: 200, height: 1230 });
    expect(framed.image_base64).toBe(plain.image_base64);
  });

  test("jpeg and webp honour their quality", async () => {
    for (const [format, magic] of [
      ["jpeg", "ffd8ff"],
      ["webp", "52494646"],
    ] as const) {
      const low = await shoot({ format, quality: 5, selector: "#box" });
      const high = await shoot({ format, quality: 100, selector: "#box" });
      expect(Buffer.from(low.image_base64, "base64").toString("hex").startsWith(magic)).toBe(true);
      expect(low.format).toBe(format);
      expect(high.image_base64).not.toBe(low.image_base64);
    }
  });

  test("an omitted background changes a PNG and not a JPEG", async () => {
    const bare = { url: `${site.origin}/flat`, viewport: { width: 50, height: 50 } };
    const image = async (options: object) =>
      (await rig.run("browser.screenshot", { ...bare, ...options })).image_base64;
    expect(await image({ omit_background: true })).not.toBe(await image({}));
    expect(await image({ omit_background: true, format: "jpeg" })).toBe(
      await image({ format: "jpeg" }),
    );
  });

  test("a selector that matches nothing, or nothing with a box, is not_found", async () => {
    for (const selector of ["#nowhere", ".zero"]) {
      const error = await rig.failure("browser.screenshot", {
        url: `${site.origin}/picture`,
        selector,
      });
      expect([error.type, error.status]).toEqual(["not_found", 404]);
    }
  });

  test("a selector that is not CSS is refused before the page is requested", async () => {
    site.hits.length = 0;
    const error = await rig.failure("browser.screenshot", {
      url: `${site.origin}/picture`,
      selector: "div[[",
    });
    expect([error.type, error.status]).toEqual(["validation_error", 400]);
    expect(error.issues).toEqual([expect.objectContaining({ in: "body", path: "selector" })]);
    expect(site.hits).toEqual([]);
  });
});
