import { afterAll, beforeAll, expect, test } from "vitest";
import { type ErrorEnvelope, Gateway } from "../gateway.ts";
import { type BareChromium, startBareChromium } from "../worker/browser/shared-context.ts";

/** The contract's pages, opened and tried in a real browser. */

/**
 * Swagger UI computes for seconds over the whole contract before it renders; longer on a busy
 * machine.
 */
const timeoutMs = 150_000;

let gateway: Gateway;
let chromium: BareChromium;
beforeAll(async () => {
  [gateway, chromium] = await Promise.all([
    Gateway.start({ pools: "social" }),
    startBareChromium(),
  ]);
});
afterAll(async () => {
  await chromium?.close();
  await gateway?.stop();
});

test(
  "an operation can be tried with a key on the page of its area",
  async () => {
    const { key } = await gateway.key({ mode: "test", credits: 10 });
    const page = await chromium.openPersistent();
    page.setDefaultTimeout(timeoutMs);
    await page.setViewport({ width: 1400, height: 1000 });
    const requested: string[] = [];
    const complaints: string[] = [];
    page.on("request", (request) => requested.push(request.url()));
    page.on("console", (message) => {
      if (["error", "warn"].includes(message.type())) complaints.push(message.text());
    });
    page.on("pageerror", (error) => complaints.push(String(error)));

    await page.goto(`${gateway.url}/docs/try#/shortclip/shortclip.search`);
    await page.waitForSelector(".opblock.is-open");
    const tags = await page.$$eval(".opblock-tag", (all) =>
      all.map((tag) => (tag as unknown as { dataset: { tag: string } }).dataset.tag),
    );
    expect(tags).toEqual(["shortclip", "gateway"]);

    await page.click(".btn.authorize");
    await page.type(".auth-container input", key);
    await page.click(".auth-btn-wrapper .authorize");
    await page.click(".auth-btn-wrapper .btn-done");
    await page.click(".try-out__btn");
    await page.click(".btn.execute");
    const answer = await page.waitForSelector(
      ".live-responses-table .response .response-col_description",
    );
    const shown = String(await answer?.evaluate((cell) => cell.textContent));
    expect(shown).toContain('"credits_charged"');

    expect(
      requested.filter((url) => !url.startsWith(`${gateway.url}/`) && !url.startsWith("data:")),
    ).toEqual([]);
    expect(complaints).toEqual([]);
  },
  timeoutMs + 30_000,
);

test("its files carry the headers of every answer; other methods and names are errors in the envelope", async () => {
  for (const path of ["/docs/try", "/docs/try/start.js", "/docs/try/swagger-ui.css"]) {
    const answer = await fetch(`${gateway.url}${path}`);
    expect(answer.status).toBe(200);
    expect(answer.headers.get("svc-version")).toBe("2026-07-01");
    expect(answer.headers.get("svc-request-id")).toMatch(/^svc_/);
    expect(answer.headers.get("content-security-policy")).toContain("default-src 'none'");
  }
  const { key } = await gateway.key({ mode: "test", credits: 1 });
  const refused = await gateway.call<ErrorEnvelope>(key, "POST", "/docs", { body: {} });
  expect([refused.status, refused.body.error.type]).toEqual([405, "validation_error"]);
  const unknown = await gateway.call<ErrorEnvelope>(key, "GET", "/docs/none");
  expect([unknown.status, unknown.body.error.type]).toEqual([404, "not_found"]);
});
