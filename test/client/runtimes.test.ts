import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { type Server, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { rolldown } from "rolldown";
import { afterAll, beforeAll, expect, test } from "vitest";
import { full } from "../faults/full.ts";
import { type ErrorEnvelope, Gateway } from "../gateway.ts";
import { type BareChromium, startBareChromium } from "../worker/browser/shared-context.ts";
import { type Project, newProject } from "./project.ts";

/** The packed client where there is no Node: a page, a worker of a page, Deno, Bun. */

/**
 * A caller's use of the client, by `fetch` alone: a call, an error, pages of a list, a job, a
 * batch.
 */
const program = (url: string, key: string) => `
  import { Gateway, isGatewayError } from "public-data-gateway-client";
  const gateway = new Gateway({ key: ${JSON.stringify(key)}, baseUrl: ${JSON.stringify(url)} });
  export async function everything() {
    const { data, billing } = await gateway.shortclip.search({ q: "tea", limit: 3 });
    const error = await gateway.shortclip
      .search({ q: "tea" }, { scenario: "rate_limited", retries: 0 })
      .then(() => undefined, (reason) => reason);
    let pages = 0;
    for await (const page of gateway.shortclip.search({ q: "tea" }, { scenario: "second_page" }).pages()) {
      pages += page.data.length > 0 ? 1 : 0;
    }
    const job = await gateway.shortclip.search({ q: "tea", limit: 2 }).submit();
    const { data: later } = await job.result();
    const { batch } = await gateway.createBatch([
      { custom_id: "a", operation: "shortclip.search", input: { q: "tea", limit: 1 } },
      { custom_id: "b", operation: "shortclip.search", input: { q: "milk", limit: 1 } },
    ]);
    const ended = [];
    for await (const line of batch.results()) ended.push(line.custom_id + line.status);
    return {
      records: data.length,
      charged: billing.credits_charged,
      refused: isGatewayError(error, "rate_limited") && error.retryAfter > 0 && error.requestId !== undefined,
      morePages: pages > 1,
      later: later.length,
      ended: ended.sort(),
    };
  }
`;
const right = {
  records: 3,
  charged: 3,
  refused: true,
  morePages: true,
  later: 2,
  ended: ["a200", "b200"],
};

let gateway: Gateway;
let project: Project;
let site: Server;
let origin: string;
let closed: string;
let allowing: string;
let key: string;
const served = new Map<string, [type: string, body: string]>();

beforeAll(async () => {
  site = createServer((request, response) => {
    const [type, body] = served.get(request.url ?? "") ?? ["text/plain", ""];
    response.writeHead(200, { "content-type": type }).end(body);
  });
  await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
  gateway = await Gateway.start({ pools: "social" });
  project = await newProject(gateway.url);
  closed = gateway.url;
  ({ url: allowing } = await gateway.startApi({ WEB_ORIGINS: origin }));
  ({ key } = await gateway.key({ mode: "test", credits: 100_000 }));
});
afterAll(async () => {
  site?.close();
  await project?.remove();
  await gateway?.stop();
});

/** The program and the client in one file, as a page loads them. */
async function bundleOf(url: string): Promise<string> {
  const entry = join(project.folder, "entry.js");
  await writeFile(entry, program(url, key));
  const bundle = await rolldown({ input: entry, cwd: project.folder });
  const { output } = await bundle.generate({ format: "esm" });
  return output[0].code;
}

test("it works in a page of an allowed origin and in its worker, and nowhere else", async () => {
  const html = "<!doctype html><title>caller</title>";
  served.set("/", ["text/html", html]);
  served.set("/allowed.js", ["text/javascript", await bundleOf(allowing)]);
  served.set("/refused.js", ["text/javascript", await bundleOf(closed)]);
  const inWorker = `import { everything } from "/allowed.js";
    everything().then(postMessage, (error) => postMessage(String(error)));`;
  served.set("/worker.js", ["text/javascript", inWorker]);

  const chromium: BareChromium = await startBareChromium();
  try {
    const page = await chromium.openPersistent();
    await page.goto(`${origin}/`);
    const run = (file: string) =>
      page.evaluate(
        `import("/${file}").then((it) => it.everything()).catch((error) => error.name + ": " + error.message)`,
      );
    expect(await run("allowed.js")).toEqual(right);
    const worker = `new Promise((resolve) => {
      const worker = new Worker("/worker.js", { type: "module" });
      worker.onmessage = ({ data }) => resolve(data);
    })`;
    expect(await page.evaluate(worker)).toEqual(right);
    expect(await run("refused.js")).toContain("ConnectionError");
  } finally {
    await chromium.close();
  }
}, 240_000);

test("a preflight request needs no key and reveals nothing to other origins", async () => {
  const ask = (from: string, headers: Record<string, string> = {}, url = allowing) =>
    fetch(`${url}/shortclip/search`, {
      method: "OPTIONS",
      headers: { origin: from, ...headers },
    });
  const before = {
    "access-control-request-method": "GET",
    "access-control-request-headers": "authorization,prefer",
  };
  const allowed = await ask(origin, before);
  expect(allowed.status).toBe(204);
  expect(allowed.headers.get("access-control-allow-origin")).toBe(origin);
  expect(allowed.headers.get("access-control-allow-headers")).toBe("authorization,prefer");
  expect(allowed.headers.get("svc-version")).toBe("2026-07-01");
  expect(allowed.headers.get("svc-request-id")).toMatch(/^svc_/);
  const other = await ask("https://evil.example", before);
  expect(other.headers.get("vary")).toContain("Origin");
  // Without `WEB_ORIGINS` every origin is another one.
  for (const refused of [other, await ask(origin, before, closed)]) {
    expect(refused.status).toBe(403);
    const names = [...refused.headers.keys()];
    expect(names.filter((name) => /access-control|allow|authenticate/.test(name))).toEqual([]);
    const { error } = (await refused.json()) as ErrorEnvelope;
    expect(error).toMatchObject({ type: "validation_error", message: expect.any(String) });
    expect(error.issues).toMatchObject([{ in: "header", path: "Origin", code: "unknown_origin" }]);
  }
  // An OPTIONS request that is no preflight is a call like any other.
  expect((await ask(origin)).status).toBe(401);
  const document = await fetch(`${allowing}/openapi.json`, { headers: { origin } });
  expect(document.headers.get("vary")).toMatch(/accept-encoding.*origin/i);
  await document.body?.cancel();
});

// Deno and Bun are 200 MB of the registry.
test.runIf(full)(
  "it works in Deno and in Bun",
  async () => {
    const execute = promisify(execFile);
    const cwd = project.folder;
    await execute("npm", ["install", "--no-audit", "--no-fund", "deno", "bun"], { cwd });
    await writeFile(
      join(cwd, "runtime.mjs"),
      `${program(gateway.url, key)}
    console.log(JSON.stringify(await everything()));`,
    );
    const manifest = await readFile(join(cwd, "package.json"), "utf8");
    expect(manifest).toContain('"deno"');
    const bin = join(cwd, "node_modules", ".bin");
    const deno = await execute(join(bin, "deno"), ["run", "--allow-net", "runtime.mjs"], { cwd });
    expect(JSON.parse(deno.stdout)).toEqual(right);
    const bun = await execute(join(bin, "bun"), ["run", "runtime.mjs"], { cwd });
    expect(JSON.parse(bun.stdout)).toEqual(right);
  },
  480_000,
);
