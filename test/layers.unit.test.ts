import { globSync, readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { join } from "node:path";
import { expect, test } from "vitest";
import { importsOf, root } from "./imports.ts";

interface Layer {
  /** Packages and folders of the project (with "/") that may be imported; "node" is every built-in. */
  may: string;
  instead: string;
}

const layers: Readonly<Record<string, Layer>> = {
  contract: {
    may: "zod node:crypto",
    instead: "contract/ knows nobody; pass what it needs as a parameter",
  },
  "contract/areas": {
    may: "contract/ zod node:crypto",
    instead: "what two areas share belongs in a file of contract/ itself",
  },
  runtime: {
    may: "contract/ ioredis pino zod node",
    instead: "runtime/ serves every process and knows none; pass what it needs as a parameter",
  },
  "runtime/egress": {
    may: "ipaddr.js zod node",
    instead: "the SSRF filter depends on nothing that it guards",
  },
  "runtime/tracing": {
    may: "contract/ runtime/ @opentelemetry/api @opentelemetry/core @opentelemetry/exporter-trace-otlp-http @opentelemetry/resources @opentelemetry/sdk-trace @opentelemetry/semantic-conventions node",
    instead: "runtime/tracing makes spans of what runtime/call-log.ts records",
  },
  db: {
    may: "drizzle-orm postgres p-limit runtime/crawl.ts runtime/monotonic.ts runtime/coalesce.ts runtime/retry.ts node",
    instead: "db/ stores and finds; let its caller bring the two together",
  },
  api: {
    may: "contract/ runtime/ db/ fastify bullmq ioredis zod pino marked minisearch node",
    instead: "api/ knows workers through runtime/queue.ts only",
  },
  "api/mcp": {
    may: "contract/ runtime/ api/reply.ts api/describe.ts api/input-issues.ts @modelcontextprotocol/server fastify zod node",
    instead: "tools call the gateway over HTTP, as every caller does",
  },
  "api/webhooks": {
    may: "contract/ runtime/ db/ api/ standardwebhooks fastify bullmq ioredis zod node",
    instead: "the SSRF filter of webhooks is the one of the worker that dials: runtime/egress",
  },
  worker: {
    may: "contract/ runtime/ worker/ bullmq ioredis zod pino node",
    instead: "a worker gets all it needs with its job; shared shapes belong in contract/",
  },
  "worker/areas": {
    may: "contract/ runtime/ worker/mapping/ worker/upstreams/ worker/transport/ worker/connector.ts zod node",
    instead: "what two areas share belongs in worker/mapping or in the folder of its upstream",
  },
  "worker/areas/browser": {
    may: "contract/ runtime/metrics.ts runtime/settings.ts worker/browser/ worker/documents/ worker/transport/site.ts worker/connector.ts worker/config.ts",
    instead: "rendering itself belongs in worker/browser",
  },
  "worker/areas/web": {
    may: "contract/ runtime/account-turns.ts runtime/crawl.ts worker/browser/ worker/documents/ worker/parser-threads.ts worker/thread-priority.ts worker/transport/ worker/connector.ts feedsmith microformats-parser robots-parser sax node",
    instead: "rendering itself belongs in worker/browser, fetching in worker/transport",
  },
  "worker/areas/*/samples": {
    may: "contract/ worker/sandbox/ worker/upstreams/",
    instead: "samples are made from the request alone, with the tools of worker/sandbox",
  },
  "worker/upstreams": {
    may: "contract/ runtime/ worker/mapping/ worker/transport/ worker/connector.ts youtubei.js node",
    instead: "an upstream's folder knows its provider, not the areas that ask it",
  },
  "worker/mapping": {
    may: "contract/ runtime/ worker/connector.ts lossless-json p-limit zod node",
    instead: "worker/mapping serves every area and knows none",
  },
  "worker/transport": {
    may: "contract/ runtime/ worker/egress/ worker/mapping/json.ts worker/connector.ts ioredis tldts undici node",
    instead: "worker/transport carries a request and knows neither areas nor providers",
  },
  "worker/egress": {
    may: "contract/ runtime/ ipaddr.js zod node",
    instead: "the SSRF filter depends on nothing that it guards",
  },
  "worker/sandbox": {
    may: "contract/ runtime/ worker/areas/ worker/upstreams/ worker/transport/ worker/connector.ts worker/run.ts node",
    instead: "worker/sandbox plays samples in place of the network",
  },
  "worker/browser": {
    may: "contract/ runtime/ worker/egress/ worker/niceness.ts worker/thread-time.ts puppeteer css-select css-what mdream p-limit parse5 sax @mozilla/readability tldts zod node",
    instead: "worker/browser renders; shared shapes belong in contract/",
  },
  "worker/documents": {
    may: "contract/ runtime/account-turns.ts worker/parser-threads.ts worker/transport/site.ts pdfjs-dist fflate sax node",
    instead: "worker/documents reads files and knows neither areas nor browsers",
  },
  "*.map.ts": {
    may: "contract/ entities zod worker/mapping/wire.ts",
    instead: "a mapping is pure, JSON in and records out; leave the rest to the handlers",
  },
  "client/src": {
    may: "",
    instead: "the client depends on nothing: callers run it where the gateway is not",
  },
  dashboards: {
    may: "contract/ runtime/ db/ fastify @bull-board/api @bull-board/fastify @prometheus-io/client bullmq ioredis marked p-limit uplot zod pino node",
    instead: "dashboards/ read what Redis and db/ hold; shared shapes belong in contract/",
  },
};

function layerOf(file: string): string {
  if (file.endsWith(".map.ts")) return "*.map.ts";
  if (/^worker\/areas\/[^/]+\/samples\//.test(file)) return "worker/areas/*/samples";
  const folders = file.split("/").slice(0, -1);
  while (folders.length > 1 && !(folders.join("/") in layers)) folders.pop();
  return folders.join("/");
}

/** The folder that a file of an area or of an upstream belongs to; it may import all of it. */
const roomOf = (file: string) =>
  /^(contract|worker)\/(areas|upstreams)\/[^/]+\//.exec(file)?.[0] ?? `${layerOf(file)}/`;

function allowed(file: string, name: string): boolean {
  const layer = layerOf(file);
  const may = (layers[layer] as Layer).may.split(" ");
  if (/^(contract|worker)\/areas\//.test(name)) {
    // The lists of all areas, and what only the worker's own start brings together.
    const isList = /^(contract\/index|worker\/(handlers|main)|worker\/sandbox\/\w+)\.ts$/.test(
      file,
    );
    const [, side, room] = /^(contract|worker)\/areas\/([^/]+)\//.exec(name) as string[];
    const isOwn = file.includes(`/areas/${room}/`);
    if (!isList && !isOwn && (side === "worker" || /^(contract|worker)\//.test(file))) return false;
  }
  // The packages of OpenTelemetry are loaded only where traces are exported.
  if (name.startsWith("runtime/tracing/") && layer !== "runtime/tracing") {
    return name === "runtime/tracing/tracing.ts";
  }
  if (name.startsWith("worker/browser/")) {
    return ["worker/browser", "worker/areas/browser", "worker/areas/web"].includes(layer);
  }
  if (layer === "*.map.ts") {
    if (name === "youtubei.js") return file.startsWith("worker/areas/videosite/");
    if (name.endsWith(".map.ts")) return true;
  } else if (name.startsWith(roomOf(file))) return true;
  if (isBuiltin(name)) return may.includes("node") || may.includes(name);
  return may.some((entry) =>
    entry.endsWith("/") ? name.startsWith(entry) : entry === name || name.startsWith(`${entry}/`),
  );
}

const files = globSync(
  "{contract,runtime,db,api,worker,dashboards,cli,local,client/src}/**/*.{ts,mjs}",
  {
    cwd: root,
  },
);

test("every import stays inside its layer", () => {
  const wrong = files
    .filter((file) => layerOf(file) in layers)
    .flatMap((file) =>
      importsOf(file)
        .filter((name) => !allowed(file, name))
        .map((name) => `${file} imports ${name}: ${layers[layerOf(file)]?.instead}`),
    );
  expect(wrong).toEqual([]);
});

test("worker/browser is loaded by its connector, by doctor and by the local start only", () => {
  const wrong = files
    .filter((file) => file.startsWith("cli/") && !file.startsWith("cli/doctor"))
    .flatMap((file) =>
      importsOf(file)
        .filter((name) => name.startsWith("worker/browser/"))
        .map((name) => `${file} imports ${name}`),
    );
  expect(wrong).toEqual([]);
});

test("handlers and maps take the time from their call: one call has one today, and its test the same every day", () => {
  const asks = /\bDate\.now\(\)|\bnew Date\(\)/;
  const wrong = files
    .filter((file) => /^worker\/(areas|mapping)\//.test(file))
    .filter((file) => asks.test(readFileSync(join(root, file), "utf8")));
  expect(wrong).toEqual([]);
});

test("the imports are really read", () => {
  expect(importsOf("worker/main.ts")).toEqual(
    expect.arrayContaining(["node:crypto", "worker/run.ts", "worker/areas/browser/handlers.ts"]),
  );
  expect(importsOf("worker/areas/news-aggregator/items.map.ts")).toContain(
    "worker/mapping/wire.ts",
  );
  expect(importsOf("runtime/redis/connection.ts")).toContain("ioredis");
  expect(importsOf("contract/operation.ts")).toEqual([
    "zod",
    "contract/aliases.ts",
    "contract/source.ts",
  ]);
  expect(allowed("api/app.ts", "worker/run.ts")).toBe(false);
  expect(allowed("worker/run.ts", "worker/browser/chromium/pool.ts")).toBe(false);
  expect(allowed("worker/areas/forum/a.map.ts", "worker/run.ts")).toBe(false);
  expect(allowed("worker/areas/forum/a.map.ts", "youtubei.js")).toBe(false);
});

test("no area imports from another, on either side of the contract", () => {
  expect(allowed("worker/areas/forum/handlers.ts", "worker/areas/seo/target.ts")).toBe(false);
  expect(allowed("worker/areas/forum/a.map.ts", "worker/areas/seo/keyword.map.ts")).toBe(false);
  expect(allowed("worker/areas/forum/handlers.ts", "contract/areas/seo/fields.ts")).toBe(false);
  expect(allowed("contract/areas/forum/index.ts", "contract/areas/seo/fields.ts")).toBe(false);
  expect(allowed("worker/upstreams/x/client.ts", "worker/areas/forum/handlers.ts")).toBe(false);
  expect(allowed("worker/areas/forum/a.map.ts", "worker/areas/forum/b.map.ts")).toBe(true);
});
