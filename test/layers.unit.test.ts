import { globSync, readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { dirname, join, relative } from "node:path";
import { expect, test } from "vitest";

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
  db: {
    may: "drizzle-orm postgres node",
    instead: "db/ stores and finds; let its caller bring the two together",
  },
  api: {
    may: "contract/ db/ fastify bullmq ioredis zod pino node",
    instead: "api/ knows workers through contract/job.ts only",
  },
  worker: {
    may: "contract/ bullmq ioredis zod pino undici ipaddr.js lossless-json youtubei.js node",
    instead: "a worker gets all it needs with its job; shared shapes belong in contract/",
  },
  "worker/browser": {
    may: "contract/ puppeteer proxy-chain mdream ipaddr.js tldts zod node",
    instead: "worker/browser renders; shared shapes belong in contract/",
  },
  "*.map.ts": {
    may: "contract/ zod worker/wire.ts",
    instead: "a mapping is pure, JSON in and records out; leave the rest to the connector",
  },
  dashboards: {
    may: "contract/ db/ fastify @bull-board/api @bull-board/fastify @prometheus-io/client bullmq ioredis zod pino node",
    instead: "dashboards/ read what Redis and db/ hold; shared shapes belong in contract/",
  },
};

const root = join(import.meta.dirname, "..");
const specifier =
  /(?:^|[;}\s])(?:import|export)\s[^;'"]*?from\s*["']([^"']+)["']|(?:^|[;}\s])import\s*["']([^"']+)["']|\bimport\s*\(\s*["']([^"']+)["']/g;

/** What a file imports: paths from the root for the project's own files, names for packages. */
function importsOf(file: string): string[] {
  const text = readFileSync(join(root, file), "utf8").replace(/\/\*[\s\S]*?\*\//g, "");
  return [...text.matchAll(specifier)].map((found) => {
    const name = (found[1] ?? found[2] ?? found[3]) as string;
    return name.startsWith(".") ? relative(root, join(root, dirname(file), name)) : name;
  });
}

function layerOf(file: string): string {
  if (file.endsWith(".map.ts")) return "*.map.ts";
  return file.startsWith("worker/browser/") ? "worker/browser" : (file.split("/")[0] as string);
}

function allowed(file: string, name: string): boolean {
  const layer = layerOf(file);
  const may = (layers[layer] as Layer).may.split(" ");
  const own = name.startsWith(`${file.split("/")[0]}/`);
  if (layer === "*.map.ts") {
    if (name === "youtubei.js") return /(^|\/)videosite[^/]*$/.test(file);
    if (name.endsWith(".map.ts")) return true;
  } else if (own) {
    return (
      layer === "worker/browser" ||
      !name.startsWith("worker/browser/") ||
      file === "worker/connectors/browser.ts"
    );
  }
  if (isBuiltin(name)) return may.includes("node") || may.includes(name);
  return may.some((entry) =>
    entry.endsWith("/") ? name.startsWith(entry) : entry === name || name.startsWith(`${entry}/`),
  );
}

const files = globSync("{contract,db,api,worker,dashboards,cli,local}/**/*.{ts,mjs}", {
  cwd: root,
});

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

test("the imports are really read", () => {
  expect(importsOf("worker/main.ts")).toEqual(
    expect.arrayContaining(["ioredis", "worker/run.ts", "worker/connectors/browser.ts"]),
  );
  expect(importsOf("contract/operation.ts")).toEqual(["zod"]);
  expect(allowed("api/app.ts", "worker/run.ts")).toBe(false);
  expect(allowed("worker/run.ts", "worker/browser/pool.ts")).toBe(false);
  expect(allowed("worker/connectors/a.map.ts", "worker/run.ts")).toBe(false);
  expect(allowed("worker/connectors/a.map.ts", "youtubei.js")).toBe(false);
});
