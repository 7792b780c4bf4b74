import { setTimeout as sleep } from "node:timers/promises";
import pLimit from "p-limit";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { BatchData } from "../../contract/batches.ts";
import { migrate } from "../../db/migrate.ts";
import { ask, caller, submit, inState, result } from "../api/jobs/caller.ts";
import { opened } from "../database.ts";
import { formerDatabase } from "../db/former.ts";
import { type Answer, type Envelope, type ErrorEnvelope, Gateway, until } from "../gateway.ts";
import { startProcess } from "../process.ts";
import { full } from "./full.ts";
import { type Release, hasRelease, unpackRelease } from "./release.ts";
import { counted, traffic } from "./traffic.ts";

/** The database of commit 8d894b3 is upgraded while its processes work on it, and they go on. */

const commit = "8d894b3";
const isThere = hasRelease(commit);

let release: Release;
let gateway: Gateway;
beforeAll(async () => {
  if (!isThere) return;
  release = unpackRelease(commit);
  const db = opened(await formerDatabase());
  gateway = await Gateway.start({ pools: "social", release: { folder: release.folder, db } });
});
afterEach(async () => {
  if (isThere) expect(await gateway.violations()).toEqual([]);
});
afterAll(async () => {
  await gateway?.stop();
  release?.remove();
});

type Any = Answer<Envelope & ErrorEnvelope>;
type Api = Gateway["apis"][number];
interface Caller {
  key: string;
  url: string;
  /** The API there is of the former release. */
  isFormer?: boolean;
}

/** A job whose result is waited for. */
async function job({ key, url }: Caller): Promise<Any> {
  const accepted = await submit(gateway, key, { url });
  if (accepted.status !== 202) return accepted;
  return result(gateway, key, accepted.body.data.request_id, 60);
}

/** As many as a process reads of one account: while a migration holds a lock, more would wait, and be refused. */
const sending = pLimit(4);

/** A batch of this release has ended by then, and one of the former mostly. */
const endsMs = { former: 15_000, now: 60_000 };
/**
 * Batches of the former release that did not end: it forgets items of which a statement had no answer within two
 * seconds, as long as its process lives. This release carries them on when that process is gone.
 */
const forgotten: string[] = [];

/** A batch of three; the answer is that of its submission, or its end where that came to nothing. */
async function batch({ key, url, isFormer }: Caller, name: string): Promise<Any> {
  const items = [1, 2, 3].map((number) => ({
    custom_id: `${name}-${number}`,
    operation: "shortclip.search",
    input: { q: `food ${name}`, limit: 3 },
  }));
  const accepted = await sending(() =>
    gateway.call<Envelope<BatchData> & ErrorEnvelope>(key, "POST", "/batches", {
      body: { items },
      url,
    }),
  );
  if (accepted.status !== 202) return accepted;
  const { id } = accepted.body.data;
  const end = Date.now() + (isFormer ? endsMs.former : endsMs.now);
  while (!(await isOver({ key, url }, id))) {
    if (Date.now() > end && !isFormer) throw new Error(`${id} has not ended in ${endsMs.now} ms`);
    if (Date.now() > end) {
      forgotten.push(id);
      return { ...accepted, status: 200 };
    }
    await sleep(50);
  }
  await delivered({ key, url }, id);
  return { ...accepted, status: 200 };
}

async function isOver({ key, url }: Caller, id: string): Promise<boolean> {
  const { body } = await gateway.call<Envelope<BatchData>>(key, "GET", `/batches/${id}`, { url });
  return body.data.state === "ended";
}

async function delivered({ key, url }: Caller, id: string): Promise<void> {
  const lines = await gateway.results(key, id, "", url);
  expect(lines.map(({ status }) => status)).toEqual([200, 200, 200]);
}

/** Items of the forgotten batches, by state and owner. */
async function items(): Promise<string> {
  const rows = await gateway.db.sql<{ item: string }[]>`
    select concat_ws(' ', b.public_id, b.state, i.number, i.owner, i.attempt) as item
    from batches b left join batch_items i on i.batch_id = b.id
    where b.public_id = any (${forgotten})`;
  return rows.map(({ item }) => item).join("; ");
}

/** Calls, jobs and batches in turn, each with a key of Idempotency-Key where it takes one. */
const mixed = (who: Caller, name: string) => (index: number) => {
  const idempotencyKey = `${name}-${index}`;
  if (index % 8 === 0) return batch(who, idempotencyKey);
  if (index % 2 === 0) return job(who);
  return ask(gateway, who.key, { url: who.url, idempotencyKey });
};

test.runIf(isThere)(
  "under calls, jobs and batches at its API: all are answered, and it starts on the upgraded database",
  async () => {
    // While a migration holds a lock, more calls wait than the 20 at once of a new account.
    const { key } = await caller(gateway, { credits: 1_000_000, inFlight: 200 });
    const before = gateway.url;
    const seconds = full ? 20 : 3;
    let applied: string[] = [];
    const load = traffic(
      { perSecond: 20, seconds },
      mixed({ key, url: before, isFormer: true }, "during"),
    );
    await sleep(500);
    applied = await migrate(gateway.db.url);
    const sent = await load;
    console.log(`API of ${commit}, ${applied.join(" and ")} applied: ${counted(sent)}`);
    expect(applied).toContain("functions");
    expect(sent.filter(({ status }) => status !== 200)).toEqual([]);

    const migrating = startProcess(`${release.folder}local/migrate.ts`, {
      DATABASE_URL: gateway.db.url,
    });
    expect(await migrating.ended).toBe(0);
    expect(migrating.log()).toContain("nothing to apply");

    // As after a crash, beside an API and a worker of this release.
    await gateway.apis[0]?.process.kill("SIGKILL");
    const [again, now] = await Promise.all([
      gateway.startApi({}, undefined, release.folder),
      gateway.startApi(),
      gateway.startWorker({ WORKER_POOLS: "social" }),
    ]);
    const beside = await Promise.all(
      [again, now].map(({ url }) =>
        traffic({ perSecond: 10, seconds }, mixed({ key, url, isFormer: url !== now.url }, url)),
      ),
    );
    console.log(`${commit} and this, side by side: ${beside.map(counted).join("; ")}`);
    expect(beside.flat().filter(({ status }) => status !== 200)).toEqual([]);

    // A batch or job that one release accepts is listed, shown and cancelled by the other.
    const handed = async (from: Api, to: Api) => {
      const taken = await submit(gateway, key, { url: from.url, scenario: "slow" });
      const { request_id: id } = taken.body.data;
      await inState(gateway, key, id, ["running"]);
      const listed = await gateway.call<Envelope<{ request_id: string }[]>>(key, "GET", "/jobs", {
        url: to.url,
      });
      expect(listed.body.data.map(({ request_id }) => request_id)).toContain(id);
      const gone = await gateway.call(key, "DELETE", `/jobs/${id}`, { url: to.url });
      expect(gone.status, gone.text).toBe(200);
      await inState(gateway, key, id, ["cancelled"]);
    };
    await Promise.all([handed(again, now), handed(now, again)]);

    if (forgotten.length === 0) return;
    console.log(`forgotten by ${commit}: ${await items()}`);
    await again.process.kill("SIGKILL");
    for (const id of forgotten) {
      await until(() => isOver({ key, url: now.url }, id));
      await delivered({ key, url: now.url }, id);
    }
  },
);
