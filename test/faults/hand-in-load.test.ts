import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { submit } from "../api/jobs/caller.ts";
import { type Answer, Gateway, until } from "../gateway.ts";
import { type TestPostgres, startPostgres } from "../postgres.ts";
import { full } from "./full.ts";

/** Jobs and batches that are handed in while their database freezes again and again. */

const seconds = full ? 60 : 6;
const perSecond = { jobs: 16, batches: 5 };
const freezeEveryMs = full ? 7000 : 5000;
/** Longer than a statement is waited for. */
const frozenMs = 3500;
const itemsOf = 3;

let postgres: TestPostgres;
let gateway: Gateway;
beforeAll(async () => {
  postgres = await startPostgres();
  process.env["TEST_DATABASE_URL"] = postgres.url;
  gateway = await Gateway.start({ pools: "social" });
});
afterAll(async () => {
  await gateway?.stop();
  await postgres?.stop();
});

type Handed = Answer<{ data?: { id?: string; request_id?: string } }>;

/** At a steady pace, whatever becomes of those before. */
async function handed(each: number, send: (index: number) => Promise<Handed>): Promise<Handed[]> {
  const startedAt = Date.now();
  const pending: Promise<Handed>[] = [];
  for (let index = 0; index < each * seconds; index += 1) {
    await sleep(Math.max(0, startedAt + (index * 1000) / each - Date.now()));
    pending.push(send(index));
  }
  return Promise.all(pending);
}

async function freezes(load: Promise<unknown>): Promise<number> {
  let over = false;
  void load.finally(() => (over = true));
  for (let count = 0; ; count += 1) {
    await sleep(freezeEveryMs - frozenMs);
    if (over) return count;
    const thaw = await postgres.freeze();
    await sleep(frozenMs);
    thaw();
  }
}

const idsOf = (answers: readonly Handed[], status: number) =>
  answers
    .filter((answer) => answer.status === status)
    .map(({ headers }) => headers.get("svc-request-id"));

test("of what is handed in beside freezes the refused is not carried out, and the accepted is", async () => {
  const callers = await gateway.keys(20, { mode: "test", credits: 10_000 });
  const keyOf = (index: number) => callers[index % callers.length]?.key ?? "";
  const items = Array.from({ length: itemsOf }, (_, index) => ({
    custom_id: `item-${index}`,
    operation: "shortclip.search",
    input: { q: `food ${index}`, limit: 3 },
  }));
  const loads = Promise.all([
    handed(perSecond.jobs, (index) => submit(gateway, keyOf(index))),
    handed(perSecond.batches, (index) =>
      gateway.call(keyOf(index), "POST", "/batches", { body: { items } }),
    ),
  ]);
  const count = await freezes(loads);
  const [jobs, batches] = await loads;

  const { sql } = gateway.db;
  const open = async () => {
    const [row] = await sql<{ jobs: number; batches: number }[]>`
      select (select count(*)::int from jobs where state in ('queued', 'running')) as jobs,
        (select count(*)::int from batches where ended_at is null) as batches`;
    return row?.jobs === 0 && row.batches === 0;
  };
  await until(open, 120_000).catch(() => undefined);
  // Another process takes over the work of one that has ended.
  const [first] = gateway.apis.splice(0);
  await first?.process.kill("SIGTERM");
  await gateway.startApi();
  await until(open, 120_000).catch(() => undefined);
  await sleep(3000);

  const refused = idsOf(jobs, 503);
  const accepted = idsOf(jobs, 202);
  const ended = await sql<{ id: string; state: string }[]>`
    select request_id as id, state from jobs`;
  const stateOf = new Map(ended.map(({ id, state }) => [id, state]));
  const carried = refused.filter((id) => id !== null && stateOf.has(id));
  const lost = accepted.filter((id) => id === null || stateOf.get(id) !== "succeeded");
  const ids = new Set(batches.flatMap(({ body }) => body.data?.id ?? []));
  const rows = await sql<{ id: string; ended: boolean; succeeded: number; charged: number }[]>`
    select public_id as id, ended_at is not null as ended, succeeded, charged::int from batches`;
  // A batch that has none of its items never ends.
  const emptied = rows.filter((row) => !row.ended || (ids.has(row.id) && row.succeeded < itemsOf));
  const gone = [...ids].filter((id) => !rows.some((row) => row.id === id));
  const charged = rows.filter((row) => !ids.has(row.id) && row.charged > 0);
  console.log(
    `${count} freezes. Jobs: ${jobs.length} handed in, ${accepted.length} accepted, ${refused.length} refused, of which ${carried.length} carried out; ${lost.length} accepted ones lost.`,
    `Batches: ${batches.length} handed in, ${ids.size} accepted; ${emptied.length + gone.length} emptied; of the refused ${charged.length} charged.`,
  );
  expect({ carried, lost, emptied, gone, charged }).toEqual({
    carried: [],
    lost: [],
    emptied: [],
    gone: [],
    charged: [],
  });
  const others = [...jobs, ...batches].filter(({ status }) => status !== 202 && status !== 503);
  expect(others).toEqual([]);
  for (const id of ids) {
    const index = batches.findIndex(({ body }) => body.data?.id === id);
    await gateway.results(keyOf(index), id);
  }
  expect(await gateway.violations()).toEqual([]);
});
