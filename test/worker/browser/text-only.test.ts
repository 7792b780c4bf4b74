import limit from "p-limit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { full } from "../../faults/full.ts";
import { html, startRig, startSite } from "./rig.ts";
import type { Rig, Site } from "./rig.ts";
import { variedPages } from "./varied-pages.ts";

let site: Site;
let usual: Rig;
let textOnly: Rig;
/** One layout of four, except at full length. */
const names = [...variedPages.keys()].filter(
  (name) => full || !/^(table|columns|own font):/.test(name),
);

const picture = `<svg xmlns="http://www.w3.org/2000/svg" width="600" height="300"><rect width="600" height="300" fill="red"/></svg>`;

beforeAll(async () => {
  site = await startSite((request, response) => {
    const path = request.url ?? "";
    const page = variedPages.get(names[Number(/^\/page-(\d+)/.exec(path)?.[1])] ?? "");
    if (page !== undefined) html(response, `<!doctype html><title>varied</title>${page}`);
    else if (path.endsWith(".svg")) {
      response.writeHead(200, { "content-type": "image/svg+xml" });
      setTimeout(() => response.end(picture), path.startsWith("/slow") ? 200 : 0);
    } else response.writeHead(404).end();
  });
  const egressAllow = [`127.0.0.1:${site.port}`];
  [usual, textOnly] = await Promise.all([
    startRig({ egressAllow }),
    startRig({ egressAllow, textOnly: true }),
  ]);
});
afterAll(async () => {
  await Promise.all([usual.close(), textOnly.close()]);
  await site.close();
});

const answersOf = async (rig: Rig, page: number) => {
  const url = `${site.origin}/page-${page}`;
  return {
    html: (await rig.run("browser.html", { url })).html,
    markdown: (await rig.run("browser.markdown", { url })).markdown,
    links: (await rig.run("browser.links", { url })).links,
    "visible links": (await rig.run("browser.links", { url, visible_links_only: true })).links,
  };
};

test("without pictures, media and fonts most pages give the same answer, and these do not", async () => {
  const differ: Record<string, string[]> = {};
  const answers = limit(4);
  const compared = names.map((name, page) =>
    answers(async () => {
      const [whole, bare] = await Promise.all([answersOf(usual, page), answersOf(textOnly, page)]);
      const kinds = (Object.keys(whole) as (keyof typeof whole)[]).filter(
        (kind) => JSON.stringify(whole[kind]) !== JSON.stringify(bare[kind]),
      );
      if (kinds.length > 0) differ[name] = kinds;
    }),
  );
  await Promise.all(compared);
  expect(names.length).toBe(full ? 53 : 20);
  expect(differ).toMatchInlineSnapshot(`
    {
      "content shown when all have loaded": [
        "html",
        "markdown",
      ],
      "drawn on a canvas": [
        "html",
        "markdown",
      ],
      "fallback text by onerror": [
        "html",
        "markdown",
      ],
      "gallery by naturalWidth": [
        "html",
        "markdown",
      ],
      "picture removed by onerror": [
        "html",
        "markdown",
      ],
      "text written by onload": [
        "html",
        "markdown",
      ],
      "unsized pictures above links": [
        "visible links",
      ],
    }
  `);
});

test("none of them is requested, except all of them for a screenshot", async () => {
  const url = `${site.origin}/page-${names.indexOf("plain: sized pictures")}`;
  const pictures = () => site.hits.filter((path) => path.endsWith(".svg")).length;
  const before = pictures();
  await textOnly.run("browser.markdown", { url });
  expect(pictures()).toBe(before);
  await textOnly.run("browser.screenshot", { url });
  expect(pictures()).toBeGreaterThan(before);
});
