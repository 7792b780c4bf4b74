import { afterAll, beforeAll, expect, test } from "vitest";
import type { GatewayError } from "../../../contract/errors.ts";
import { html, startRig, startSite } from "./rig.ts";
import type { Rig, Site } from "./rig.ts";

let rig: Rig;
let site: Site;
const paragraph = (number: number, length: number) =>
  `<p>${`text ${number} `.padEnd(length, "-")}</p>`;
const paragraphs = (count: number, length: number) =>
  Array.from({ length: count }, (_, number) => paragraph(number, length)).join("");
const pages: Record<string, () => string> = {
  // As many text nodes as elements, 10 MB.
  "/large": () => paragraphs(100_000, 93),
  // Over the limit of what a result may hold.
  "/larger": () => paragraphs(300, 120_000),
};

beforeAll(async () => {
  site = await startSite((request, response) => {
    const page = pages[request.url ?? ""];
    if (page === undefined) html(response, "no such sample", 404);
    else html(response, `<!doctype html><title>Large</title>${page()}`);
  });
  rig = await startRig({ egressAllow: [`127.0.0.1:${site.port}`] });
});
afterAll(async () => {
  await rig.close();
  await site.close();
});

test("a page of 200,000 nodes and 10 MB is rendered, or refused with a sentence that says why", async () => {
  const at = { url: `${site.origin}/large` };
  const outcome = await rig.run("browser.markdown", at).then(
    ({ markdown }) => markdown,
    (error: unknown) => error as GatewayError,
  );
  if (typeof outcome === "string") {
    expect(outcome.split("\n\n")).toHaveLength(100_000);
    expect(outcome).toContain("text 99999 ");
  } else {
    // On a machine too busy for it.
    expect(outcome).toMatchObject({ name: "GatewayError", type: "upstream_unavailable" });
    expect(outcome.message).toMatch(/could not be .* in time|did not (?:answer|reach) /);
  }
});

test("a page of 36 MB is refused as over its limit", async () => {
  const failure = await rig.failure("browser.markdown", { url: `${site.origin}/larger` });
  expect(failure.type).toMatch(/^upstream_(?:error|unavailable)$/);
  expect(failure.message).toMatch(/over its limit|in time|did not (?:answer|reach) /);
});
