import { readFile, readdir } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { html, startRig, startSite } from "./rig.ts";
import type { Rig, Site } from "./rig.ts";

const folder = new URL("../../pages/", import.meta.url);
const data: Record<string, string> = {
  xml: "application/xml",
  json: "application/json",
  svg: "image/svg+xml",
};
let rig: Rig;
let site: Site;

beforeAll(async () => {
  const samples = new Set(await readdir(folder));
  site = await startSite((request, response) => {
    const name = (request.url ?? "").slice(1);
    if (!samples.has(name)) html(response, "no such sample", 404);
    else {
      void readFile(new URL(name, folder), "utf8").then((text) => {
        const type = data[name.replace(/^.*\./, "")];
        if (type) response.writeHead(200, { "content-type": type }).end(text);
        else html(response, text);
      });
    }
  });
  rig = await startRig({ egressAllow: [`127.0.0.1:${site.port}`] });
});
afterAll(async () => {
  await rig.close();
  await site.close();
});

describe("Markdown of the sample pages", () => {
  test.each([
    "article",
    "documentation",
    "forum",
    "shop",
    "chinese",
    "arabic",
    "hebrew",
    "self-building",
    "math",
    "reveal",
    "hidden-body",
    "links",
    "pictures",
    "details",
    "late",
    "grids",
    "forms",
    "drawings",
    "drawing.svg",
    "feed.xml",
    "data.json",
  ])("%s", async (page) => {
    const [name, kind = "html"] = page.split(".");
    const { markdown } = await rig.run("browser.markdown", {
      url: `${site.origin}/${name}.${kind}`,
      wait_until: name === "self-building" ? "networkidle0" : "load",
    });
    const stable = markdown.replaceAll(site.origin, "http://site.test");
    await expect(`${stable}\n`).toMatchFileSnapshot(new URL(`${name}.md`, folder).pathname);
  });
});
