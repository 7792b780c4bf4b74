import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startNameServer } from "./name-server.ts";
import type { NameServer } from "./name-server.ts";
import { html, pause, settled, startRig, startSite, noSsrfFilter } from "./rig.ts";
import type { Rig, Site } from "./rig.ts";
import { vectorPage, vectors, webSocketDecoyPath } from "./vectors.ts";

let site: Site;
/** Same port as the site on another loopback address, which must never be reached. */
let decoy: Site;
let names: NameServer;
let filtered: Rig;
let open: Rig;

const secret = "decoy-content";

beforeAll(async () => {
  site = await startSite((request, response) => {
    const path = request.url ?? "";
    // A fresh connection, and so a fresh look-up, for every request.
    response.setHeader("connection", "close");
    if (path.startsWith("/to?")) {
      response.writeHead(302, { location: decodeURIComponent(path.slice(4)) }).end();
    } else if (path.startsWith("/to307?")) {
      response.writeHead(307, { location: decodeURIComponent(path.slice(7)) }).end();
    } else if (path.startsWith("/refresh?")) {
      response.setHeader("refresh", `0;url=${decodeURIComponent(path.slice(9))}`);
      html(response, "refreshing");
    } else if (path.startsWith("/meta?")) {
      html(
        response,
        `<meta http-equiv=refresh content="0;url=${decodeURIComponent(path.slice(6))}">`,
      );
    } else if (path === "/vectors") {
      response.setHeader("link", `<${decoy.origin}/link-header>; rel=preload; as=image`);
      response.setHeader(
        "content-security-policy-report-only",
        `img-src 'none'; report-uri ${decoy.origin}/csp-report`,
      );
      html(response, vectorPage(decoy.origin, decoy.origin.replace("http", "ws")));
    } else if (path === "/rebind") {
      html(
        response,
        `<p id=o></p><script>(async()=>{for(let i=0;i<6;i++){try{o.append(await (await fetch('/again?'+i)).text())}catch{}}document.body.append('done')})()</script><img src=/slow-image>`,
      );
    } else if (path === "/slow-image") setTimeout(() => response.end(), 1500);
    else html(response, "public site");
  });
  decoy = await startSite((_request, response) => html(response, secret), "127.0.0.2", site.port);
  names = await startNameServer({
    "first.test": (lookup) => [lookup === 1 ? "127.0.0.1" : "127.0.0.2"],
    "second.test": (lookup) => [lookup <= 2 ? "127.0.0.1" : "127.0.0.2"],
    "inside.test": () => ["127.0.0.2"],
    "mixed.test": () => ["127.0.0.1", "127.0.0.2"],
    "alias.test": () => ({ alias: "inside.test", to: ["127.0.0.2"] }),
    "public.test": () => ["127.0.0.1"],
  });
  // SharedWorkers are a way out as well.
  const shared = { resolver: names.address, slots: 3, withholdNothing: true };
  [filtered, open] = await Promise.all([
    startRig({ ...shared, egressAllow: [`127.0.0.1:${site.port}`] }),
    startRig({ ...shared, ...noSsrfFilter }),
  ]);
});
afterAll(async () => {
  await Promise.all([filtered.close(), open.close()]);
  await Promise.all([site.close(), decoy.close(), names.close()]);
});

const named = (name: string, path = "/") => ({ url: `http://${name}:${site.port}${path}` });

async function expectBlocked(input: object): Promise<void> {
  await settled(open);
  decoy.hits.length = 0;
  const error = await filtered.failure("browser.html", { timeout_ms: 5000, ...input });
  expect([error.type, error.status], error.message).toEqual(["validation_error", 400]);
  expect(error.issues).toEqual([expect.objectContaining({ in: "body", path: "url" })]);
  expect(decoy.hits).toEqual([]);
}

describe("case 26: a destination inside", () => {
  const port = () => site.port;
  test.each([
    () => `http://127.0.0.2:${port()}/`,
    () => `http://[::ffff:127.0.0.2]:${port()}/`,
    () => `http://127.2:${port()}/`,
    () => `http://2130706434:${port()}/`,
    () => `http://0177.0.0.2:${port()}/`,
    () => `http://0x7f000002:${port()}/`,
    () => `http://１２７.0.0.２:${port()}/`,
    () => `http://inside.test:${port()}/`,
    () => `http://mixed.test:${port()}/`,
    () => `http://alias.test:${port()}/`,
  ])("%s is refused, and reached without the SSRF filter", async (url) => {
    await expectBlocked({ url: url() });
    decoy.hits.length = 0;
    // A name of two addresses may lead to either.
    const reached = await open.run("browser.html", { url: url() });
    expect(reached.html).toMatch(/decoy-content|public site/);
    if (!url().includes("mixed")) expect(decoy.hits.length).toBeGreaterThan(0);
  });

  test("the answer is the same where nothing listens", async () => {
    const there = await filtered.failure("browser.html", { url: `${decoy.origin}/` });
    const absent = await filtered.failure("browser.html", { url: "http://127.0.0.9:9999/" });
    expect([absent.type, absent.status, absent.issues]).toEqual([
      there.type,
      there.status,
      there.issues,
    ]);
    expect(absent.message).toBe(there.message);
  });

  test.each(["/to?", "/to307?", "/refresh?", "/meta?"])("after %s it is refused", async (path) => {
    await expectBlocked({
      url: `${site.origin}${path}${encodeURIComponent(`${decoy.origin}/x`)}`,
    });
    const through = await open.run("browser.html", {
      url: `${site.origin}${path}${encodeURIComponent(`${decoy.origin}/x`)}`,
    });
    expect(through.html).toContain(secret);
  });
});

describe("case 27: every way out of a page", () => {
  test("none reaches a decoy; without the SSRF filter nearly all do", async () => {
    await settled(open);
    decoy.hits.length = 0;
    for (const id of ["browser.html", "browser.links", "browser.markdown"] as const) {
      const data = await filtered.run(id, { url: `${site.origin}/vectors`, timeout_ms: 10_000 });
      expect(JSON.stringify(data)).not.toContain(secret);
    }
    await filtered.run("browser.screenshot", { url: `${site.origin}/vectors`, timeout_ms: 10_000 });
    await pause(500);
    expect(decoy.hits).toEqual([]);

    await open.run("browser.html", {
      url: `${site.origin}/vectors`,
      wait_until: "networkidle0",
      timeout_ms: 15_000,
    });
    const reached = new Set(decoy.hits.map((path) => path.replace(/^\//, "")));
    const missing = vectors.filter((name) => !reached.has(name));
    expect(missing, "vectors whose decoy was not shown to listen").toEqual([]);
    expect(reached).toContain(webSocketDecoyPath);
  });
});

describe("case 28: rebinding", () => {
  test("a name that changes its address under a page leads to no decoy", async () => {
    await settled(open);
    decoy.hits.length = 0;
    const render = (name: string) =>
      filtered.run("browser.html", { ...named(name, "/rebind"), wait_until: "networkidle0" }).then(
        (found) => found.html,
        (error: { type: string }) => error.type,
      );
    const changing = ["first.test", "second.test"];
    for (const data of await Promise.all(changing.map(render))) expect(data).not.toContain(secret);
    expect(decoy.hits).toEqual([]);
    for (const name of changing) {
      const lookups = names.queries.filter((entry) => entry === `1:${name}`);
      expect(lookups.length, name).toBeGreaterThan(1);
    }
  });

  test("without the SSRF filter the same page reads the decoy", async () => {
    const data = await open.run("browser.html", {
      ...named("first.test", "/rebind"),
      wait_until: "networkidle0",
    });
    expect(data.html).toContain(secret);
  });

  test("a name is looked up by the gateway, never by Chromium", async () => {
    const data = await filtered.run("browser.html", named("public.test"));
    expect(data.html).toContain("public site");
  });
});

describe("case 29: schemes", () => {
  test.each([
    "file:///etc/passwd",
    "view-source:http://127.0.0.1/",
    "chrome://version",
    "devtools://devtools/bundled/inspector.html",
    "data:text/html,decoy-content",
    "blob:http://127.0.0.1/1",
    "javascript:alert(1)",
    "ftp://127.0.0.1/",
    "about:blank",
  ])("a redirect to %s is refused", async (target) => {
    await expectBlocked({ url: `${site.origin}/to?${encodeURIComponent(target)}` });
  });

  test.each(["file:///etc/passwd", "chrome://version", "data:text/html,decoy-content", "ftp://x/"])(
    "%s itself never reaches a page",
    async (url) => {
      await expect(filtered.run("browser.html", { url })).rejects.toThrow("http or https");
    },
  );

  test.each(["file:///etc/passwd", "view-source:file:///etc/passwd", "chrome://version"])(
    "a script or meta element that goes to %s leads nowhere",
    async (target) => {
      const outcome = await filtered
        .run("browser.html", { url: `${site.origin}/meta?${encodeURIComponent(target)}` })
        .then(
          (data) => data.html,
          (error: { type: string }) => error.type,
        );
      expect(outcome).not.toMatch(/root:|Chromium/);
    },
  );
});
