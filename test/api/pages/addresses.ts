import { expect, test } from "vitest";
import { guides } from "../../../api/docs/guides.ts";
import { areas, operations } from "../../../contract/index.ts";
import { decide } from "../../../db/controls.ts";
import { type ErrorEnvelope, until } from "../../gateway.ts";
import { seeded } from "../../random.ts";
import { share } from "../../share.ts";
import type { Stage } from "./stage.ts";

/** Pages of one in so many operations are fetched: they are written by one function. */
const oneIn = 4;
const isOperation = (address: string) => operations.has(address.replace(/.*\/|\.md$/g, ""));

/** All addresses but those of most operations. */
function some(name: string, addresses: Iterable<string>): string[] {
  const kinds = Map.groupBy(addresses, isOperation);
  return [...(kinds.get(false) ?? []), ...share(name, kinds.get(true) ?? [], oneIn)];
}

async function exportsItsPort(stage: Stage): Promise<void> {
  const { gateway, textOf } = stage;
  const line = `export GATEWAY_URL=http://localhost:${new URL(gateway.url).port} `;
  for (const path of ["/docs", "/docs/index.md"]) expect(await textOf(path), path).toContain(line);
}

async function llmsTextNamesAll(stage: Stage): Promise<void> {
  const { gateway, textOf } = stage;
  const text = await textOf("/llms.txt");
  const paths = [...text.matchAll(/\]\((\/docs\/[^)]+\.md)\)/g)].map((match) => match[1] as string);
  expect(paths).toHaveLength(1 + guides.length + areas.length + operations.size + 1);
  expect(text).toContain("[web.crawl](/docs/web.crawl.md)");
  for (const path of some("pages as Markdown", paths)) {
    const answer = await fetch(`${gateway.url}${path}`);
    expect(answer.status, path).toBe(200);
    expect(answer.headers.get("content-type")).toContain("text/markdown");
    expect(await answer.text(), path).toMatch(/^# \S/);
  }
}

async function linksResolve(stage: Stage): Promise<void> {
  const { gateway, textOf } = stage;
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
  for (const address of some("linked pages", seen))
    if ((await fetch(address)).status !== 200) missing.push(address);
  expect(missing).toEqual([]);
  expect(seen.size).toBeGreaterThan(operations.size);
  const lost: string[] = [];
  for (const [address, anchor] of anchors)
    if (!(await (await fetch(address)).text()).includes(anchor)) lost.push(address);
  expect(lost).toEqual([]);
  expect(anchors.size).toBeGreaterThan(20);
}

async function searchHasEntries(stage: Stage): Promise<void> {
  const { gateway } = stage;
  const documents = (await (await fetch(`${gateway.url}/docs/search.json`)).json()) as {
    id: string;
  }[];
  const ids = new Set(documents.map(({ id }) => id));
  expect(ids.size).toBe(documents.length);
  for (const id of ["mcp#claude-desktop", "retries#what-is-worth-a-retry", "maps.search", "client"])
    expect(ids).toContain(id);
}

async function filesHaveHeaders(stage: Stage): Promise<void> {
  const { gateway, key } = stage;
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
}

async function leadsBrowsersOn(stage: Stage): Promise<void> {
  const { gateway, key } = stage;
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
  for (const [wrong, right] of Object.entries({
    mapz: "maps",
    error: "errors",
    Batchs: "batches",
  })) {
    const html = await (await fetch(`${gateway.url}/docs/${wrong}`, inBrowser)).text();
    expect(html, wrong).toContain(`<ul><li><a href="../docs/${right}">`);
  }
  const deep = await gateway.call<ErrorEnvelope>(key, "GET", "/docs/maps/search");
  expect([deep.status, deep.body.error.type]).toEqual([404, "not_found"]);
  expect(deep.body.error.message).toContain("/docs/maps.search");
}

async function followsAvailability(stage: Stage): Promise<void> {
  const { gateway, textOf } = stage;
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
}

async function servesOpenapi(stage: Stage): Promise<void> {
  const { gateway } = stage;
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
}

/** The addresses of pages and files, and what each of them answers. */
export function testAddresses(stage: Stage): void {
  test("the start page exports the port that it is read from", () => exportsItsPort(stage));
  test(seeded("llms.txt names every page as Markdown, and each exists"), () =>
    llmsTextNamesAll(stage),
  );
  test(seeded("every link of every page resolves"), () => linksResolve(stage));
  test("the search finds what callers look for", () => searchHasEntries(stage));
  test("the files of that page carry the headers of every answer; other methods and names are errors in the envelope", () =>
    filesHaveHeaders(stage));
  test("a browser at the address of the gateway, or at a wrong one below /docs, is led to the documents", () =>
    leadsBrowsersOn(stage));
  test("a page says whether its operation is available here, and follows an operator's decision", () =>
    followsAvailability(stage));
  test("openapi.json is compressed, is cached by clients, and can be limited to one area", () =>
    servesOpenapi(stage));
}
