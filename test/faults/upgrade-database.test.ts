import { setTimeout as sleep } from "node:timers/promises";
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
}

/** A job whose result is waited for. */
async function job({ key, url }: Caller): Promise<Any> {
  const accepted = await submit(gateway, key, { url });
  if (accepted.status !== 202) return accepted;
  return result(gateway, key, accepted.body.data.request_id, 60);
}

/** A batch of three; the answer is that of its submission, or its end where that came to nothing. */
async function batch({ key, url }: Caller, name: string): Promise<Any> {
  const items = [1, 2, 3].map((number) => ({
    custom_id: `${name}-${number}`,
    operation: "shortclip.search",
    input: { q: `food ${name}`, limit: 3 },
  }));
  const accepted = await gateway.call<Envelope<BatchData> & ErrorEnvelope>(
    key,
    "POST",
    "/batches",
    {
      body: { items },
      url,
    },
  );
  if (accepted.status !== 202) return accepted;
  const { id } = accepted.body.data;
  const path = `/batches/${id}`;
  let state = "";
  await until(async () => {
    const { body } = await gateway.call<Envelope<BatchData>>(key, "GET", path, { url });
    ({ state } = body.data);
    return state === "ended";
  });
  const lines = await gateway.results(key, id, "", url);
  expect(lines.map(({ status }) => status)).toEqual([200, 200, 200]);
  return { ...accepted, status: 200 };
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
    const load = traffic({ perSecond: 20, seconds }, mixed({ key, url: before }, "during"));
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
      [again, now].map(({ url }) => traffic({ perSecond: 10, seconds }, mixed({ key, url }, url))),
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
  },
);
