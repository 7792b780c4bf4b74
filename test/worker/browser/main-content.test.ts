import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { html, startRig, startSite } from "./rig.ts";
import type { Rig, Site } from "./rig.ts";

let rig: Rig;
let site: Site;
const folder = new URL("../../pages/", import.meta.url);
const paragraph =
  "A sentence, with a comma, that a reader of this page came here to read in full. ".repeat(8);
const trusted = { "content-security-policy": "require-trusted-types-for 'script'; sandbox" };
const pages: Record<string, string> = {
  "/nothing": "<!doctype html><title>x</title><button>Go</button>",
  "/list": `<!doctype html><title>Links</title><nav><a href="/a">A</a></nav>`,
  "/hostile": `<!doctype html><title>Title</title><form><input name=firstChild><input name=childNodes><input name=innerHTML>
    <nav class="menu"><a href="/menu">menu</a></nav><article id="${"a".repeat(100_000)}" class="&quot;><script>x</script>">
    <h1>Headline</h1><p>${paragraph}</p><p>${paragraph}</p></article></form>
    <script>Element.prototype.getAttribute = () => { throw new Error("no") }</script>`,
  "/deep": `<!doctype html><title>Deep</title>${"<div class=content>".repeat(5000)}<p>${paragraph}</p><p>${paragraph}</p>`,
  "/wide": `<!doctype html><title>Wide</title>${"<div class=x><p>one, two</p></div>".repeat(12_000)}`,
};

beforeAll(async () => {
  site = await startSite((request, response) => {
    const path = request.url ?? "";
    const page = pages[path];
    for (const [name, value] of Object.entries(trusted)) {
      if (path === "/magazine.html?trusted") response.setHeader(name, value);
    }
    if (page !== undefined) html(response, page);
    else if (path.startsWith("/magazine.html")) {
      void readFile(new URL("magazine.html", folder), "utf8").then((text) => html(response, text));
    } else html(response, "no such sample", 404);
  });
  rig = await startRig({ egressAllow: [`127.0.0.1:${site.port}`] });
});
afterAll(async () => {
  await rig.close();
  await site.close();
});

const read = async (path: string, main_content_only: boolean) => {
  const url = `${site.origin}${path}`;
  const { markdown } = await rig.run("browser.markdown", { url, main_content_only });
  return markdown.replaceAll(site.origin, "http://site.test");
};

describe("main_content_only", () => {
  test("leaves the article with its headline, pictures, code, tables and formulas", async () => {
    const markdown = await read("/magazine.html", true);
    await expect(`${markdown}\n`).toMatchFileSnapshot(new URL("magazine.md", folder).pathname);
    const whole = await read("/magazine.html", false);
    for (const other of ["Imprint", "Most read", "Buy a boat", "Ten facts", "privacy"]) {
      expect(whole).toContain(other);
      expect(markdown).not.toContain(other);
    }
  });

  test("does not depend on the page's own script policy", async () => {
    expect(await read("/magazine.html?trusted", true)).toBe(await read("/magazine.html", true));
  });

  test("is the whole page where no content is found", async () => {
    expect(await read("/nothing", true)).toBe("Go");
  });

  test("takes nothing from a hostile page but its text", async () => {
    const markdown = await read("/hostile", true);
    expect(markdown).toMatch(/^# Headline\n\nA sentence/);
    expect(markdown).not.toContain("menu");
    expect(markdown).not.toContain("script");
  });

  test("is found at any depth, and ends in time at any length", async () => {
    expect(await read("/deep", true)).toContain("came here to read");
    expect(await read("/wide", true)).toContain("one, two");
  });
});
