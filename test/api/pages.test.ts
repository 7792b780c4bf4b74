import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { examplesOf } from "../../api/docs/examples.ts";
import { areas, operations } from "../../contract/index.ts";
import { type ErrorEnvelope, Gateway } from "../gateway.ts";
import { type Origin, startOrigin } from "../origin.ts";
import { type BareChromium, startBareChromium } from "../worker/browser/shared-context.ts";

/** The contract's pages, as people and programs read them, every example on them, and the page to try them on. */

const run = promisify(execFile);

/**
 * Swagger UI computes for seconds over the whole contract before it renders; longer on a busy
 * machine.
 */
const timeoutMs = 150_000;

let gateway: Gateway;
let chromium: BareChromium;
let origin: Origin;
let key: string;
beforeAll(async () => {
  origin = await startOrigin();
  [gateway, chromium] = await Promise.all([
    Gateway.start({
      pools: "browser,seo,seo-bulk,serp,social",
      env: { EGRESS_ALLOW: origin.address },
    }),
    startBareChromium(),
  ]);
  ({ key } = await gateway.key({ mode: "test", credits: 1_000_000, rate: 10_000 }));
});
afterAll(async () => {
  await chromium?.close();
  await gateway?.stop();
  await origin?.stop();
});

const textOf = async (path: string) => (await fetch(`${gateway.url}${path}`)).text();
const environment = () => ({ ...process.env, GATEWAY_URL: gateway.url, GATEWAY_KEY: key });
/** The examples of browser operations name a page that does not exist, so replace it. */
const there = (text: string) =>
  text
    .replaceAll("https://example.com/", `${origin.url}/page`)
    .replaceAll("https://example.com", `${origin.url}/page`);

test("the start page exports the port that it is read from", async () => {
  const line = `export GATEWAY_URL=http://localhost:${new URL(gateway.url).port} `;
  for (const path of ["/docs", "/docs/index.md"]) expect(await textOf(path), path).toContain(line);
});

test("llms.txt names every page as Markdown, and each exists", async () => {
  const text = await textOf("/llms.txt");
  const paths = [...text.matchAll(/\]\((\/docs\/[^)]+\.md)\)/g)].map((match) => match[1] as string);
  expect(paths).toHaveLength(1 + areas.length + operations.size);
  for (const path of paths) {
    const answer = await fetch(`${gateway.url}${path}`);
    expect(answer.status, path).toBe(200);
    expect(answer.headers.get("content-type")).toContain("text/markdown");
    expect(await answer.text(), path).toMatch(/^# \S/);
  }
});

test("every link of every page resolves", async () => {
  const names = [
    "",
    ...areas.map(({ name }) => `/${name}`),
    ...["maps.search", "forum.posts.get"].map((id) => `/${id}`),
  ];
  const seen = new Set<string>();
  for (const name of names) {
    const page = `${gateway.url}/docs${name}`;
    const html = await textOf(`/docs${name}`);
    for (const [, address = ""] of html.matchAll(/href="([^"]+)"/g)) {
      if (!address.startsWith("data:")) seen.add(new URL(address, page).href.replace(/#.*/, ""));
    }
  }
  const missing: string[] = [];
  for (const address of seen) if ((await fetch(address)).status !== 200) missing.push(address);
  expect(missing).toEqual([]);
  expect(seen.size).toBeGreaterThan(operations.size);
});

test("the start page reads well in a browser at two widths", async () => {
  const page = await chromium.openPersistent();
  const complaints: string[] = [];
  page.on("console", (message) => complaints.push(message.text()));
  for (const width of [1400, 390]) {
    await page.setViewport({ width, height: 900 });
    for (const path of ["/docs", "/docs/forum", "/docs/seo.serp.search"]) {
      await page.goto(`${gateway.url}${path}`);
      const wide = await page.evaluate("document.documentElement.scrollWidth");
      expect(wide, `${path} at ${width}`).toBe(width);
      expect(await page.$$eval("nav a, main h1", (all) => all.length)).toBeGreaterThan(
        areas.length,
      );
    }
  }
  await page.goto(`${gateway.url}/docs/maps.search`);
  await page.click('main a[href*="try#"]');
  expect(page.url()).toContain("/docs/try#/maps/maps.search");
  expect(complaints).toEqual([]);
  await page.close();
});

test(
  "an operation can be tried with a key on the page of its area",
  async () => {
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

test("the files of that page carry the headers of every answer; other methods and names are errors in the envelope", async () => {
  for (const path of ["/docs/try", "/docs/try/start.js", "/docs/try/swagger-ui.css"]) {
    const answer = await fetch(`${gateway.url}${path}`);
    expect(answer.status).toBe(200);
    expect(answer.headers.get("svc-version")).toBe("2026-07-01");
    expect(answer.headers.get("svc-request-id")).toMatch(/^svc_/);
    expect(answer.headers.get("content-security-policy")).toContain("default-src 'none'");
  }
  const refused = await gateway.call<ErrorEnvelope>(key, "POST", "/docs", { body: {} });
  expect([refused.status, refused.body.error.type]).toEqual([405, "validation_error"]);
  const unknown = await gateway.call<ErrorEnvelope>(key, "GET", "/docs/none");
  expect([unknown.status, unknown.body.error.type]).toEqual([404, "not_found"]);
});

test("every command of the start page runs unchanged", async () => {
  const text = await textOf("/docs/index.md");
  const commands = [...text.matchAll(/```sh\n(.*?)```/gs)].map((match) => match[1] as string);
  const runnable = commands.filter((command) => !command.startsWith("export "));
  expect(runnable.length).toBeGreaterThan(6);
  for (const command of runnable) {
    const { stdout } = await run("sh", ["-ec", command], { env: environment() });
    const expected = command.includes("rate_limited")
      ? '"type":"rate_limited"'
      : '"request_id":"svc_';
    expect(stdout, command).toContain(expected);
  }
});

test("every operation's command runs unchanged", async () => {
  const failed: string[] = [];
  const left = [...operations.values()];
  const some = async () => {
    for (let op = left.pop(); op; op = left.pop()) {
      const command = there(examplesOf(op).curl);
      const { stdout } = await run("sh", ["-ec", command], { env: environment() });
      if (!stdout.startsWith('{"request_id":"svc_'))
        failed.push(`${op.id}: ${stdout.slice(0, 200)}`);
    }
  };
  await Promise.all([some(), some(), some(), some()]);
  expect(failed).toEqual([]);
});

test("every operation's Python program runs unchanged", async () => {
  const programs = [...operations.values()].map((op) => there(examplesOf(op).python));
  const script = `import sys, json\nfor program in json.load(sys.stdin):\n    exec(program, {})\nprint("all of them ran")`;
  const child = run("python3", ["-c", script], { env: environment(), maxBuffer: 64 << 20 });
  child.child.stdin?.end(JSON.stringify(programs));
  const { stdout } = await child;
  expect(stdout).toContain("all of them ran");
});

test("openapi.json is compressed, is cached by clients, and can be limited to one area", async () => {
  const address = `${gateway.url}/openapi.json`;
  const plain = await fetch(address, { headers: { "accept-encoding": "identity" } });
  const whole = Buffer.from(await plain.arrayBuffer());
  const packed = await fetch(address, { headers: { "accept-encoding": "gzip" } });
  expect(packed.headers.get("content-encoding")).toBe("gzip");
  expect(packed.headers.get("vary")).toBe("accept-encoding");
  expect(Buffer.from(await packed.arrayBuffer()).equals(whole)).toBe(true);
  const etag = packed.headers.get("etag") ?? "";
  expect(etag).not.toBe(plain.headers.get("etag"));
  const again = await fetch(address, {
    headers: { "accept-encoding": "gzip", "if-none-match": `"other", ${etag}` },
  });
  expect([again.status, (await again.text()).length]).toEqual([304, 0]);

  const forum = (await (await fetch(`${address}?area=forum`)).json()) as {
    paths: Record<string, Record<string, { tags: string[] }>>;
  };
  const tags = Object.values(forum.paths).flatMap((item) =>
    Object.values(item).flatMap((op) => op.tags),
  );
  expect(new Set(tags)).toEqual(new Set(["forum", "gateway"]));
  const wrong = await gateway.call<ErrorEnvelope>(undefined, "GET", "/openapi.json?area=none");
  expect([wrong.status, wrong.body.error.issues?.[0]?.path]).toEqual([400, "area"]);
});
