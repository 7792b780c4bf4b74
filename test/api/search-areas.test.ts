import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { events } from "../../contract/areas/events/index.ts";
import { geo } from "../../contract/areas/geo/index.ts";
import { hotels } from "../../contract/areas/hotels/index.ts";
import { local } from "../../contract/areas/local/index.ts";
import { maps } from "../../contract/areas/maps/index.ts";
import { news } from "../../contract/areas/news/index.ts";
import type { Area } from "../../contract/operation.ts";
import { type Envelope, type ErrorEnvelope, Gateway } from "../gateway.ts";
import { dataforseo } from "../upstream/dataforseo.ts";
import { type Simulator, startSimulator } from "../upstream/simulator.ts";
import { ticketmaster } from "../upstream/ticketmaster.ts";

const login = "operator@host.example";
const password = "sample-password";
const apiKey = "sample-key";

let simulator: Simulator;
let gateway: Gateway;
beforeAll(async () => {
  simulator = await startSimulator([
    dataforseo({ login, password }),
    ticketmaster({ key: apiKey }),
  ]);
  gateway = await Gateway.start({
    pools: "serp,seo-bulk",
    env: {
      DATAFORSEO_BASE_URL: simulator.url,
      DATAFORSEO_LOGIN: login,
      DATAFORSEO_PASSWORD: password,
      TICKETMASTER_BASE_URL: simulator.url,
      TICKETMASTER_API_KEY: apiKey,
    },
  });
});
beforeEach(() => simulator.reset());
afterAll(async () => {
  await gateway?.stop();
  await simulator?.stop();
});

const areas: readonly Area[] = [events, geo, hotels, local, maps, news];
const operations = areas.flatMap((area) => area.operations);

test.each(operations)("$id: a live call answers like a test call", async (op) => {
  const live = await gateway.key({ mode: "live", credits: 1000 });
  const { key: testKey } = await gateway.key({ mode: "test", credits: 1000 });
  const options = { body: op.example };
  const answer = await gateway.call<Envelope>(live.key, "POST", op.path, options);
  expect(answer.status, answer.text).toBe(200);
  const sent = simulator.calls().length;
  expect(sent).toBeGreaterThan(0);
  const played = await gateway.call<Envelope>(testKey, "POST", op.path, options);
  // Events carry the time of the call, which differs between the two calls.
  const time = op.id === "events.search" ? { observed_at: expect.any(String) as string } : {};
  expect(played.body.data).toEqual({ ...(answer.body.data as object), ...time });
  expect(simulator.calls(), "a test key sends nothing").toHaveLength(sent);
  const charged = answer.body.billing.credits_charged;
  expect(charged).toBeGreaterThanOrEqual(Math.max(1, op.minimum));
  expect(await gateway.balance(live.accountId)).toEqual({ balance: 1000 - charged, held: 0 });
});

test("a generated answer costs ten credits, and a smaller balance does not buy it", async () => {
  const body = { query: "how do heat pumps work" };
  const { key } = await gateway.key({ credits: 19 });
  const first = await gateway.call<Envelope>(key, "POST", "/geo/serp", { body });
  expect(first.body.billing).toMatchObject({ credits_charged: 10, balance_remaining: 9 });
  const second = await gateway.call<ErrorEnvelope>(key, "POST", "/geo/serp", { body });
  expect(second.body.error.type).toBe("insufficient_credits");
});

test("keywords beyond the balance are not requested, and named", async () => {
  const { key } = await gateway.key({ credits: 2 });
  const path = "/geo/keywords/search-volume";
  const body = { keywords: ["one", "two", "three"] };
  type Volume = { results: { keyword: string }[]; unprocessed_keywords?: string[] };
  const answer = await gateway.call<Envelope<Volume>>(key, "POST", path, { body });
  expect(answer.body.data.results.map(({ keyword }) => keyword)).toEqual(["one", "two"]);
  expect(answer.body.data.unprocessed_keywords).toEqual(["three"]);
  expect(answer.body.billing).toMatchObject({
    credits_charged: 2,
    truncated_due_to_balance: true,
  });
});

test("a location that only the upstream can refuse is the caller's fault", async () => {
  const path = "/v3/serp/google/maps/live/advanced";
  const task = { status_code: 40501, status_message: "Invalid Field: 'location_name'." };
  const json = { status_code: 20000, tasks: [{ ...task, cost: 0, result: null }] };
  simulator.play(path, { faults: [], rest: { kind: "status", status: 200, json } });
  const { key } = await gateway.key({ credits: 10 });
  const body = { query: "cafe", location: "Nowhere at all" };
  const answer = await gateway.call<ErrorEnvelope>(key, "POST", "/maps/search", { body });
  expect(answer.body.error).toMatchObject({
    type: "validation_error",
    issues: [{ in: "body", path: "location" }],
  });
});

test("the gateway logged no fault", async () => {
  expect(await gateway.violations()).toEqual([]);
});
