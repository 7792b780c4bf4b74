import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { rolldown } from "rolldown";
import { afterAll, beforeAll, expect, test } from "vitest";
import { operations } from "../../contract/index.ts";
import { Gateway } from "../gateway.ts";
import { type Origin, startOrigin } from "../origin.ts";
import { type Project, newProject } from "./project.ts";

const installed = join("node_modules", "public-data-gateway-client");

let gateway: Gateway;
let origin: Origin;
let project: Project;
let key: string;
beforeAll(async () => {
  origin = await startOrigin();
  gateway = await Gateway.start({
    pools: "browser,seo,seo-bulk,serp,social",
    env: { EGRESS_ALLOW: origin.address },
  });
  project = await newProject(gateway.url);
  ({ key } = await gateway.key({ mode: "test", credits: 1_000_000, rate: 10_000 }));
});
afterAll(async () => {
  await project?.remove();
  await gateway?.stop();
  await origin?.stop();
});

/** `geo.mentions.top_domains` is `geo.mentions.topDomains`. */
const methodOf = (id: string) =>
  id.replace(/[_-](\w)/g, (_, letter: string) => letter.toUpperCase());

test("every operation is a typed method, answers its example in test mode, and costs the price of its dry run", async () => {
  const calls = [...operations.values()].map((op) => {
    const example = ["browser", "web"].includes(op.area)
      ? { ...op.example, url: `${origin.url}/page` }
      : op.example;
    return `await check(${JSON.stringify(op.id)}, gateway.${methodOf(op.id)}(${JSON.stringify(example)}));`;
  });
  const program = `
    import { Gateway } from "public-data-gateway-client";
    declare const process: { env: Record<string, string> };
    const gateway = new Gateway({ key: process.env["KEY"]!, baseUrl: process.env["URL"]! });
    let answered = 0;
    type Answer = { request_id: string; billing: { credits_charged: number } };
    type Priced = { credits: { least: number; most: number } };
    async function check(id: string, call: PromiseLike<Answer> & { price(): Promise<Priced> }) {
      const { least, most } = (await call.price()).credits;
      const { request_id, billing: { credits_charged: charged } } = await call;
      if (!request_id.startsWith("svc_")) throw new Error(id);
      if (!(charged >= least && charged <= most)) throw new Error(id + ": " + [least, charged, most]);
      answered += 1;
    }
    ${calls.join("\n    ")}
    console.log(answered);
  `;
  const printed = await project.run("every", program, { KEY: key, URL: gateway.url });
  expect(Number(printed)).toBe(operations.size);
});

test("calls that the contract refuses do not compile", async () => {
  const program = (lines: string[]) => `
    import { Gateway, isGatewayError } from "public-data-gateway-client";
    const gateway = new Gateway({ key: "svc_test_x", baseUrl: "http://localhost" });
    ${lines.map((line, index) => `export async function f${index}() { ${line} }`).join("\n")}
  `;
  const right = [`await gateway.shortclip.search({ q: "tea" });`];
  expect(await project.complaints("right", program(right))).toBe("");
  const wrong: Record<string, string> = {
    "await gateway.shortclip.search({});": "'q' is missing",
    "await gateway.shortclip.search({ q: 1 });": "not assignable to type 'string'",
    'await gateway.shortclip.search({ q: "tea", limt: 1 });': "'limt'",
    'for await (const video of gateway.shortclip.search({ q: "a" })) video.none;': "'none'",
    'isGatewayError(new Error(), "rate_limitd");': "rate_limitd",
  };
  const errors = await project.complaints("wrong", program(Object.keys(wrong)));
  for (const complaint of Object.values(wrong)) expect(errors).toContain(complaint);
});

test("a program needs the types of no platform, and those of a platform fit", async () => {
  const program = (more: string) => `
    import { Gateway, type GatewayOptions, verifyWebhook } from "public-data-gateway-client";
    const options: GatewayOptions = { key: "svc_test_x", baseUrl: "http://localhost" };
    export const found = async () => (await new Gateway(options).shortclip.search({ q: "tea" })).data.length;
    export const event = verifyWebhook("{}", { "webhook-id": "1" }, "whsec_c2VjcmV0").catch(() => 0);
    ${more}
  `;
  expect(await project.complaints("bare", program(""), "es2022")).toBe("");
  const inBrowser = `
    new Gateway({ ...options, fetch });
    new Gateway({ ...options, fetch: (url: string, init: RequestInit) => fetch(url, init) });
    void new Gateway(options).shortclip.search({ q: "tea" }, { signal: AbortSignal.timeout(1) });
    void verifyWebhook("{}", new Headers(), "whsec_c2VjcmV0").catch(() => 0);`;
  expect(await project.complaints("in-browser", program(inBrowser))).toBe("");
});

test("the examples of its README run unchanged", async () => {
  const text = await readFile(join(project.folder, installed, "README.md"), "utf8");
  const examples = [...text.matchAll(/```ts\n(.*?)```/gs)].map((match) => match[1] as string);
  expect(examples.length).toBeGreaterThan(5);
  const env = { GATEWAY_KEY: key, GATEWAY_URL: gateway.url };
  const imports = /^import .*;$/gm;
  const [first = "", ...rest] = examples.map((example) => example.replace(imports, ""));
  const program = [
    ...examples.flatMap((example) => example.match(imports) ?? []),
    "declare const process: { env: Record<string, string> };",
    first,
    // Each example declares its own names.
    ...rest.map((example) => `await (async () => {\n${example}})();`),
    'console.log("all of them ran");',
  ].join("\n");
  expect(await project.run("readme", program, env)).toContain("all of them ran");
});

test("one area alone brings none of the others into a bundle", async () => {
  const entry = join(project.folder, "alone.js");
  await writeFile(
    entry,
    `import { Transport } from "public-data-gateway-client";
     import { maps } from "public-data-gateway-client/areas/maps";
     globalThis.found = maps(new Transport({ key: "k", baseUrl: "http://localhost" }));`,
  );
  const { output } = await rolldown({ input: entry, cwd: project.folder }).then((bundle) =>
    bundle.generate({ format: "esm", minify: true }),
  );
  const { code } = output[0];
  expect(code).toContain("/maps/search");
  expect(code).not.toContain("/shortclip");
  expect(code.length).toBeLessThan(12_000);
});

test("the package holds JavaScript with types and its README, and nothing else", async () => {
  expect(
    project.files.filter((file) => !/^(package\.json|README\.md|dist\/.*\.(js|d\.ts))$/.test(file)),
  ).toEqual([]);
  expect(project.files).toContain("dist/index.js");
  const text = await readFile(join(project.folder, installed, "package.json"), "utf8");
  const { dependencies } = JSON.parse(text) as { dependencies?: object };
  expect(dependencies).toBeUndefined();
});
