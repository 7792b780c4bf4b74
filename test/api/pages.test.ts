import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { examplesOf } from "../../api/docs/examples.ts";
import { guides } from "../../api/docs/guides.ts";
import { areas, operations } from "../../contract/index.ts";
import type { Operation } from "../../contract/operation.ts";
import { decide } from "../../db/controls.ts";
import { type ErrorEnvelope, Gateway, until } from "../gateway.ts";
import { root } from "../imports.ts";
import { type Origin, startOrigin } from "../origin.ts";
import { type BareChromium, startBareChromium } from "../worker/browser/shared-context.ts";

/** The contract's pages, as people and programs read them, every example on them, and the page to try them on. */

const run = promisify(execFile);
/** Stands between the answers of several commands. */
const mark = "@@ end of an answer @@";

/**
 * Swagger UI computes for seconds over the whole contract before it renders; longer on a busy
 * machine.
 */
const timeoutMs = 150_000;

let gateway: Gateway;
let chromium: BareChromium;
let origin: Origin;
let key: string;
let folder: string;
beforeAll(async () => {
  origin = await startOrigin();
  folder = await mkdtemp(join(tmpdir(), "gateway-pages-"));
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
  await rm(folder, { recursive: true, force: true });
});

const textOf = async (path: string) => (await fetch(`${gateway.url}${path}`)).text();
const environment = () => ({ ...process.env, GATEWAY_URL: gateway.url, GATEWAY_KEY: key });
/** The examples of browser operations name a page that does not exist, so replace it. */
const there = (text: string) =>
  text
    .replaceAll("https://example.com/", `${origin.url}/page`)
    .replaceAll("https://example.com", `${origin.url}/page`);

/** The picture that an example has written; removed, so that the next one must write it. */
async function expectPicture(): Promise<void> {
  const file = join(folder, "answer.png");
  expect([...(await readFile(file)).subarray(1, 4)]).toEqual([...Buffer.from("PNG")]);
  await rm(file);
}

/** Programs of the served guides in a language. */
async function programsOf(language: "python" | "ts"): Promise<string[]> {
  const texts = await Promise.all(
    ["index", ...guides.map(({ name }) => name)].map((name) => textOf(`/docs/${name}.md`)),
  );
  const fence = new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, "gms");
  return texts.flatMap((text) => [...text.matchAll(fence)].map((match) => match[1] as string));
}

test("the start page exports the port that it is read from", async () => {
  const line = `export GATEWAY_URL=http://localhost:${new URL(gateway.url).port} `;
  for (const path of ["/docs", "/docs/index.md"]) expect(await textOf(path), path).toContain(line);
});

test("llms.txt names every page as Markdown, and each exists", async () => {
  const text = await textOf("/llms.txt");
  const paths = [...text.matchAll(/\]\((\/docs\/[^)]+\.md)\)/g)].map((match) => match[1] as string);
  expect(paths).toHaveLength(1 + guides.length + areas.length + operations.size);
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
    ...guides.map(({ name }) => `/${name}`),
    ...areas.map(({ name }) => `/${name}`),
    ...["maps.search", "forum.posts.get"].map((id) => `/${id}`),
  ];
  const seen = new Set<string>();
  const anchors = new Map<string, string>();
  for (const name of names) {
    const page = `${gateway.url}/docs${name}`;
    const html = await textOf(`/docs${name}`);
    for (const [, address = ""] of html.matchAll(/href="([^"]+)"/g)) {
      if (address.startsWith("data:")) continue;
      const { href, hash } = new URL(address, page);
      if (!href.startsWith(gateway.url)) continue;
      seen.add(href.replace(/#.*/, ""));
      if (/^#[\w-]+$/.test(hash)) anchors.set(href, `id="${hash.slice(1)}"`);
    }
  }
  const missing: string[] = [];
  for (const address of seen) if ((await fetch(address)).status !== 200) missing.push(address);
  expect(missing).toEqual([]);
  expect(seen.size).toBeGreaterThan(operations.size);
  const lost: string[] = [];
  for (const [address, anchor] of anchors)
    if (!(await (await fetch(address)).text()).includes(anchor)) lost.push(address);
  expect(lost).toEqual([]);
  expect(anchors.size).toBeGreaterThan(20);
});

test("the start page reads well in a browser at two widths", async () => {
  const page = await chromium.openPersistent();
  const complaints: string[] = [];
  page.on("console", (message) => complaints.push(message.text()));
  for (const width of [1400, 390]) {
    await page.setViewport({ width, height: 900 });
    for (const path of ["/docs", "/docs/mcp", "/docs/forum", "/docs/seo.serp.search"]) {
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

test("a page fills in key and address, keeps the language, copies, runs the call, and finds other pages", async () => {
  const page = await chromium.openPersistent();
  const requested: string[] = [];
  const complaints: string[] = [];
  page.on("request", (request) => requested.push(request.url()));
  page.on("console", (message) => complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(String(error)));
  await page.goto(`${gateway.url}/docs/shortclip.search`);
  const shownCode = () =>
    page.$$eval("section.beside .tabs figure", (all) =>
      all
        .filter((one) => !(one as unknown as { hidden: boolean }).hidden)
        .map((one) => one.textContent),
    );
  expect((await shownCode())[0]).toContain("$GATEWAY_KEY");

  await page.click("details.key summary");
  await page.type("#key", key);
  await page.keyboard.press("Enter");
  const filledCode = (await shownCode())[0];
  expect(filledCode).toContain(`${gateway.url}/shortclip/search`);
  expect(filledCode).toContain(`Bearer ${key.slice(0, 9)}…${key.slice(-4)}`);
  await page.evaluate("navigator.clipboard.writeText = async (text) => { window.copied = text; }");
  await page.click("section.beside .tabs figure:not([hidden]) .copy");
  const { stdout } = await run("sh", ["-ec", String(await page.evaluate("window.copied"))]);
  expect(stdout).toContain('"request_id":"svc_');

  await page.click("button.run");
  await page.waitForSelector("section.beside pre[aria-label=Answer]:not([hidden])");
  expect(await page.$eval("section.beside p[role=status]", (one) => one.textContent)).toMatch(
    /^Status 200 after \d+ ms, \d+ credits charged$/,
  );

  await page.focus("[role=tab][aria-selected=true]");
  await page.keyboard.press("ArrowRight");
  expect((await shownCode())[0]).toContain("new Gateway");
  await page.goto(`${gateway.url}/docs/retries`);
  const chosen = await page.$$eval("[role=tab][aria-selected=true]", (all) =>
    all.map((one) => one.textContent),
  );
  expect(chosen).toEqual(["TypeScript"]);

  await page.keyboard.press("/");
  await page.type("dialog input", "youtube");
  await page.waitForSelector("dialog [role=option]");
  const found = await page.$$eval("dialog [role=option] strong", (all) =>
    all.map((one) => one.textContent),
  );
  expect(found.filter((title) => title?.startsWith("videosite.")).length).toBeGreaterThan(2);
  await page.keyboard.press("ArrowDown");
  await Promise.all([page.waitForNavigation(), page.keyboard.press("Enter")]);
  expect(page.url()).toBe(`${gateway.url}/docs/${found[1]}`);

  expect(
    requested.filter((url) => !url.startsWith(`${gateway.url}/`) && !url.startsWith("data:")),
  ).toEqual([]);
  // The key goes to the gateway as a header only.
  expect(requested.filter((url) => url.includes(key))).toEqual([]);
  expect(complaints).toEqual([]);
  await page.close();
});

test("the search finds what callers look for", async () => {
  const documents = (await (await fetch(`${gateway.url}/docs/search.json`)).json()) as {
    id: string;
  }[];
  const ids = new Set(documents.map(({ id }) => id));
  expect(ids.size).toBe(documents.length);
  for (const id of ["mcp#claude-desktop", "retries#what-is-worth-a-retry", "maps.search", "client"])
    expect(ids).toContain(id);
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
  const client = await fetch(`${gateway.url}/client.tgz`);
  expect(client.headers.get("content-type")).toBe("application/gzip");
  expect(client.headers.get("content-disposition")).toMatch(/client-\d+\.\d+\.\d+\.tgz"$/);
  const etag = client.headers.get("etag") ?? "";
  const known = await fetch(`${gateway.url}/client.tgz`, { headers: { "if-none-match": etag } });
  expect([client.status, known.status]).toEqual([200, 304]);
  const refused = await gateway.call<ErrorEnvelope>(key, "POST", "/docs", { body: {} });
  expect([refused.status, refused.body.error.type]).toEqual([405, "validation_error"]);
  const unknown = await gateway.call<ErrorEnvelope>(key, "GET", "/docs/none");
  expect([unknown.status, unknown.body.error.type]).toEqual([404, "not_found"]);
});

test("a browser at the address of the gateway, or at a wrong one below /docs, is led to the documents", async () => {
  const inBrowser = { headers: { accept: "text/html,*/*" }, redirect: "manual" } as const;
  const root = await fetch(`${gateway.url}/`, inBrowser);
  expect([root.status, root.headers.get("location")]).toEqual([302, "docs"]);
  expect((await gateway.call<ErrorEnvelope>(key, "GET", "/")).body.error.type).toBe("not_found");
  for (const path of ["/docs/maps.serch", "/docs/maps/search"]) {
    const answer = await fetch(gateway.url + path, inBrowser);
    expect([answer.status, answer.headers.get("content-type")]).toEqual([
      404,
      "text/html; charset=utf-8",
    ]);
    const html = await answer.text();
    const near = [...html.matchAll(/href="([^"]*maps\.search)"/g)].map((match) => match[1]);
    const addresses = near.map((address) => new URL(address ?? "", gateway.url + path).pathname);
    expect(addresses, path).toContain("/docs/maps.search");
  }
  const deep = await gateway.call<ErrorEnvelope>(key, "GET", "/docs/maps/search");
  expect([deep.status, deep.body.error.type]).toEqual([404, "not_found"]);
});

test("a page says whether its operation is available here, and follows an operator's decision", async () => {
  const lineOf = async (id: string) =>
    /- \*\*Here\*\*: (.*)/.exec(await textOf(`/docs/${id}.md`))?.[1];
  // Workers report their upstreams a moment after their start.
  await until(
    async () => (await lineOf("packages.get")) === "available, with live and with test keys",
  );
  expect(await lineOf("browser.markdown")).toContain("available, with live");
  expect(await lineOf("maps.search")).toContain("no account at the provider");
  expect(await textOf("/docs/packages")).toContain("Available here with a live key: ");
  const decision = { who: "test", why: "test", kind: "operation", target: "browser.markdown" };
  await decide(gateway.db, { ...decision, effect: "off" });
  await until(
    async () => (await lineOf("browser.markdown"))?.includes("operator has stopped it") ?? false,
  );
  await decide(gateway.db, { ...decision, effect: "none" });
  await until(async () => (await lineOf("browser.markdown"))?.startsWith("available") ?? false);
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
  const commands = [...operations.values()].map((op) => ({
    id: op.id,
    command: there(examplesOf(op).curl),
  }));
  const [pictures, texts] = [true, false].map((isPicture) =>
    commands.filter(({ command }) => command.includes("base64 -d") === isPicture),
  ) as [typeof commands, typeof commands];
  expect(pictures.length).toBeGreaterThan(0);
  for (const { command } of pictures) {
    await run("sh", ["-ec", command], { env: environment(), cwd: folder });
    await expectPicture();
  }
  // One shell for many commands: starting one for each takes most of the time.
  const lanes = 4;
  const failed = Array.from({ length: lanes }, async (_, lane) => {
    const own = texts.filter((_command, index) => index % lanes === lane);
    const script = own.map(({ command }) => `( ${command}\n)\nprintf '${mark}'`).join("\n");
    const options = { env: environment(), cwd: folder, maxBuffer: 64 << 20 };
    const answers = (await run("sh", ["-ec", script], options)).stdout.split(mark);
    expect(answers.length).toBe(own.length + 1);
    return own.flatMap(({ id }, index) => {
      const answer = answers[index] ?? "";
      return answer.startsWith('{"request_id":"svc_') ? [] : [`${id}: ${answer.slice(0, 200)}`];
    });
  });
  expect((await Promise.all(failed)).flat()).toEqual([]);
});

test("every operation's Python program runs unchanged", async () => {
  const programs = [...operations.values()].map((op) => there(examplesOf(op).python));
  const script = `import sys, json\nfor program in json.load(sys.stdin):\n    exec(program, {})\nprint("all of them ran")`;
  const guidePrograms = await programsOf("python");
  expect(guidePrograms.length).toBeGreaterThan(4);
  const options = { env: environment(), cwd: folder, maxBuffer: 64 << 20 };
  const child = run("python3", ["-c", script], options);
  child.child.stdin?.end(JSON.stringify([...programs, ...guidePrograms]));
  const { stdout } = await child;
  expect(stdout).toContain("all of them ran");
  await expectPicture();
});

test("the TypeScript programs of the guides run unchanged", async () => {
  const modules = join(folder, "node_modules");
  await mkdir(modules);
  await symlink(join(root, "client"), join(modules, "public-data-gateway-client"));
  const programs = [
    ...(await programsOf("ts")),
    there(examplesOf(operations.get("browser.screenshot") as Operation).typescript),
  ];
  const own = programs.filter((program) => program.includes("process.env.GATEWAY_KEY"));
  expect(own.length).toBeGreaterThan(5);
  const names = own.map((_, number) => `./program-${number}.ts`);
  await Promise.all(own.map((text, number) => writeFile(join(folder, names[number] ?? ""), text)));
  await writeFile(
    join(folder, "all.ts"),
    `${names.map((name) => `await import("${name}");`).join("\n")}\nconsole.log("all of them ran");`,
  );
  const { stdout } = await run(process.execPath, ["all.ts"], { env: environment(), cwd: folder });
  expect(stdout).toContain("all of them ran");
  await expectPicture();
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
