import { Ajv2020 } from "ajv/dist/2020.js";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { DryRunData } from "../../contract/pricing.ts";
import { operations } from "../../contract/index.ts";
import { inLanes } from "../faults/traffic.ts";
import { type Envelope, Gateway } from "../gateway.ts";
import { seeded } from "../random.ts";
import { share } from "../share.ts";

interface Described {
  operationId: string;
  parameters?: {
    name?: string;
    in?: string;
    example?: string | number | boolean | string[];
  }[];
  requestBody?: { content: { "application/json": { example: unknown } } };
  responses: { "200": { content: { "application/json": { schema: object } } } };
}

interface Document {
  paths: Record<string, Record<string, Described>>;
  components: { schemas: Record<string, object> };
}

let gateway: Gateway;
let key: string;
let document: Document;
beforeAll(async () => {
  gateway = await Gateway.start({ pools: "seo,seo-bulk,serp,social" });
  ({ key } = await gateway.key({ mode: "test", credits: 1_000_000, rate: 10_000 }));
  document = (await gateway.call<Document>(undefined, "GET", "/openapi.json")).body;
});
afterAll(() => gateway.stop());

const mapped = [...operations.values()].filter((op) => op.pool !== "browser");

/** Path and body of an operation's example, taken from the served document alone. */
function requestOf(path: string, described: Described): { path: string; body: unknown } {
  const query = new URLSearchParams();
  let filled = path;
  for (const { name = "", in: where, example } of described.parameters ?? []) {
    if (example === undefined) continue;
    if (where === "path") filled = filled.replace(`{${name}}`, encodeURIComponent(String(example)));
    else query.set(name, Array.isArray(example) ? example.join(",") : String(example));
  }
  return {
    path: query.size > 0 ? `${filled}?${query}` : filled,
    body: described.requestBody?.content["application/json"].example,
  };
}

test(
  seeded("every operation answers the example of its OpenAPI entry with data of its own schema"),
  async () => {
    const tried = share("examples", mapped, 3);
    const ajv = new Ajv2020({ strict: false, validateFormats: false, code: { optimize: false } });
    ajv.addSchema({ $id: "document", components: document.components });
    const faults: string[] = [];
    await inLanes(tried.length, 8, async (index) => {
      const op = tried[index] as (typeof mapped)[number];
      const method = op.method.toLowerCase();
      const described = document.paths[op.path]?.[method];
      if (!described || described.operationId !== op.id) {
        faults.push(`${op.id}: not in the document`);
        return;
      }
      const { path, body } = requestOf(op.path, described);
      const answer = await gateway.call<Envelope>(
        key,
        op.method,
        path,
        body === undefined ? {} : { body },
      );
      if (answer.status !== 200) {
        faults.push(`${op.id}: ${answer.status} ${answer.text.slice(0, 300)}`);
        return;
      }
      const schema = JSON.parse(
        JSON.stringify(described.responses["200"].content["application/json"].schema).replaceAll(
          '"#/components/',
          '"document#/components/',
        ),
      ) as object;
      const valid = ajv.compile(schema);
      if (!valid(answer.body)) faults.push(`${op.id}: ${ajv.errorsText(valid.errors)}`);
      const charged = answer.body.billing.credits_charged;
      if (charged < op.minimum)
        faults.push(`${op.id}: charged ${charged}, at least ${op.minimum} is due`);
      const dry = await gateway.call<Envelope<DryRunData>>(key, op.method, path, {
        ...(body === undefined ? {} : { body }),
        headers: { "Svc-Dry-Run": "true" },
      });
      const { least, most } = dry.body.data?.credits ?? {};
      if (!(Number(least) <= charged && charged <= Number(most)))
        faults.push(`${op.id}: charged ${charged}, the dry run answered ${dry.text.slice(0, 300)}`);
      const leastOfOne = op.records.kind === "one" && op.records.isNone ? 0 : charged;
      if (op.records.kind === "one" && (least !== leastOfOne || most !== charged))
        faults.push(`${op.id}: is of a fixed size, and priced ${least} to ${most}`);
    });
    expect(faults).toEqual([]);
  },
);

test("with a live key and no credential every operation that needs one is 503 and free", async () => {
  const live = await gateway.key({ credits: 1_000_000 });
  const areas = ["seo", "geo", "events", "local", "maps", "news", "hotels"];
  const answers: string[] = [];
  const keyed = mapped.filter(({ area }) => areas.includes(area));
  await inLanes(keyed.length, 8, async (index) => {
    const op = keyed[index] as (typeof keyed)[number];
    const described = document.paths[op.path]?.[op.method.toLowerCase()] as Described;
    const { path, body } = requestOf(op.path, described);
    const answer = await gateway.call(live.key, op.method, path, { body });
    answers.push(`${op.id} ${answer.status}`);
  });
  expect(answers.filter((answer) => !answer.endsWith(" 503"))).toEqual([]);
  expect(await gateway.balance(live.accountId)).toEqual({ balance: 1_000_000, held: 0 });
  expect(gateway.workers[0]?.log()).toContain("DATAFORSEO_LOGIN");
  expect(gateway.workers[0]?.log()).toContain("TICKETMASTER_API_KEY");
});
