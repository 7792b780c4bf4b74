import { setTimeout as sleep } from "node:timers/promises";
import { decide } from "../../../db/controls.ts";
import { instanceOf } from "../../../runtime/build.ts";
import { quietWorkersKey } from "../../../runtime/controls.ts";
import type { Heartbeat } from "../../../runtime/queue.ts";
import { blockSeconds } from "../../../runtime/redis/connection.ts";
import { heartbeatKey } from "../../../runtime/redis/keys.ts";
import { readPublished } from "../../../dashboards/metrics.ts";
import { until } from "../../gateway.ts";
import { clientOf } from "../../redis.ts";
import { type Caller, claim } from "./caller.ts";
import { type JobData, asJob, keyed, serp } from "./call-flows.ts";
import type { Flow } from "./flow.ts";

/** Commands of operators: own credentials, the daily calls of `gateway verify`, and a quiet worker. */

/** A command ends by then, whatever becomes of a round trip. */
const commandMs = 60_000;
/** A decision is in force by then, whatever becomes of a round trip. */
const inForceMs = 20_000;

interface Ran {
  code: number | string;
  log: string;
}

const within = (ms: number, what: string, holds: () => Promise<boolean>): Promise<void> =>
  until(holds, ms).catch((error: unknown) =>
    claim(false, `${what} not within ${ms} ms: ${String(error)}`),
  );

const command = ({ lane }: Caller, words: readonly string[], input?: string): Promise<Ran> =>
  lane.program("operator", "cli/main.ts", { withinMs: commandMs, words, input });

/** Runs a command, and once more where it did not say that it is done. */
async function done(
  caller: Caller,
  words: readonly string[],
  { input, also = "" }: { input?: string; also?: string } = {},
): Promise<void> {
  const { code, log } = await command(caller, words, input);
  claim([0, 1, "SIGKILL"].includes(code), `${words.join(" ")}: ${code} ${log}`);
  if (code === 0) return;
  caller.lane.relays.pause();
  const again = await command(caller, words, input);
  const isDone = again.code === 0 || (also !== "" && again.log.includes(also));
  claim(isDone, `${words.join(" ")} again: ${again.code} ${again.log}`);
}

async function accountName({ lane, accountId }: Caller): Promise<string> {
  const [row] = await lane.gateway.db.sql<{ name: string }[]>`
    select name from accounts where id = ${accountId}`;
  return row?.name ?? "";
}

const search = { path: "/shortclip/search?q=bread&limit=3" };
const records = 3;

/** An own credential is used once its command is done, at its price; the operator's again once it is removed. */
async function ownCredential(caller: Caller): Promise<void> {
  const { lane } = caller;
  const name = await accountName(caller);
  const credential = `own-tikhub-key-of-${name}`;
  const owner = ["--account", name, "--upstream", "tikhub"];
  const usual = (await caller.insist(search)).body.billing.credits_charged;
  claim(usual > 0, `a call costs ${usual} credits`);
  lane.watch();
  await done(caller, ["credentials", "set", ...owner, "--price-percent", "0"], {
    input: credential,
  });
  /** Calls until the price says which credential was used. */
  const chargedAs = (price: number) =>
    within(inForceMs, `a price of ${price} credits`, async () => {
      const { upstream } = lane;
      const [own, operators] = [upstream.callsWith(credential), upstream.callsWith()];
      const told = await caller.insist(search);
      claim(told.status === 200, told.text);
      const { credits_charged: credits, records_charged: delivered } = told.body.billing;
      // A call whose process was killed is repeated, and may have used the other credential at first.
      const isUsed =
        credits === 0 ? upstream.callsWith(credential) > own : upstream.callsWith() > operators;
      claim(delivered === records && isUsed, `${isUsed}: ${told.text}`);
      return credits === price;
    });
  await chargedAs(0);
  await done(caller, ["credentials", "remove", ...owner], { also: "has no credential of its own" });
  await chargedAs(usual);
  lane.relays.pause();
  await caller.settled();
  const rows = await lane.gateway.db.sql`
    select 1 from account_credentials where account_id = ${caller.accountId}`;
  claim(rows.length === 0, `${rows.length} credentials after the removal`);
}

/** Credits that an operator adds are added once, or the command says that it did not. */
async function addedCredits(caller: Caller): Promise<void> {
  const { lane, accountId } = caller;
  const credits = 77;
  const words = ["credits", "add", "--mode", "test", "--credits", String(credits), "--account"];
  const name = await accountName(caller);
  const before = (await lane.gateway.balance(accountId, "test")).balance;
  lane.watch();
  const { code, log } = await command(caller, [...words, name]);
  lane.relays.pause();
  claim([0, 1, "SIGKILL"].includes(code), `the command: ${code} ${log}`);
  const added = (await lane.gateway.balance(accountId, "test")).balance - before;
  const books = `${added} credits were added: ${code} ${log}`;
  if (code === 0) claim(added === credits && log.includes(String(before + credits)), books);
  else if (code === 1) claim(added === 0, books);
  else claim(added === 0 || added === credits, books);
}

/** Of one call of this upstream. */
const callDollars = 0.001;

/** A daily call is in the budget of its day before it reaches its upstream, and its route has one row. */
async function dailyCall(caller: Caller): Promise<void> {
  const { lane } = caller;
  const { sql } = lane.gateway.db;
  await sql`delete from canaries`;
  const before = lane.upstream.callsWith();
  const words = ["verify", "shortclip.search", "--daily", "--json"];
  lane.watch();
  const first = await command(caller, words);
  claim([0, 1, "SIGKILL"].includes(first.code), `the daily call: ${first.code} ${first.log}`);
  lane.relays.pause();
  const again = await command(caller, words);
  claim(again.code === 0, `the next daily call: ${again.code} ${again.log}`);
  const rows = await sql<{ verdict: string; fault: string | null; dollars: number }[]>`
    select verdict, fault, dollars from canaries`;
  const calls = lane.upstream.callsWith() - before;
  const [row] = rows;
  const books = `${calls} calls, ${JSON.stringify(rows)}`;
  claim(rows.length === 1 && row?.fault !== "interrupted", books);
  claim(calls >= 1 && Number(row?.dollars) > (calls - 0.5) * callDollars, books);
}

/** A quiet worker takes no job; one that was accepted meanwhile is carried out once the worker is awake. */
async function quietWorker(caller: Caller): Promise<void> {
  const { lane } = caller;
  const { db, redis: server } = lane.gateway;
  const redis = clientOf(server.url);
  const decided = (target: string, effect: string) =>
    decide(db, { who: "test", why: "test", kind: "worker", target, effect });
  const worker = lane.workerName;
  const listed = async (text: string) => ((await redis.get(quietWorkersKey)) ?? "").includes(text);
  const saysQuiet = async () =>
    Object.entries(await redis.hgetall(heartbeatKey("serp"))).some(
      ([id, json]) => id.startsWith(`${worker}-`) && (JSON.parse(json) as Heartbeat).quiet === true,
    );
  try {
    let target = "";
    await until(async () => {
      const { processes } = await readPublished(redis);
      const about = processes.find(({ about: one }) => one?.name === worker)?.about;
      target = about ? instanceOf(about) : "";
      return target !== "";
    });
    lane.watch();
    await decided(target, "pause");
    await within(inForceMs, "the list of quiet workers", () => listed(target));
    // Another process in the place of one that died is not quiet.
    const isQuiet = async () => lane.workerName !== worker || (await saysQuiet());
    await within(inForceMs, "the worker is quiet", isQuiet);
    // The command with which it was waiting for a job may still bring one.
    await sleep(blockSeconds * 1000);
    await lane.recovered();
    const asked = { ...serp, headers: { ...asJob, ...keyed } };
    const told = await caller.ask<JobData>(asked);
    const again = await caller.insist<JobData>(asked);
    claim(again.status === 202, `${again.status} at the retry: ${again.text}`);
    const refused = told === undefined || told.status === 503;
    claim(refused || told.text === again.text, `${told?.text}, then ${again.text}`);
    const early = (await caller.charges()).settles;
    claim(early === 0 || lane.workerName !== worker, "a quiet worker has carried a job out");
    await decided(target, "none");
    await within(inForceMs, "the worker is awake", async () => !(await listed(target)));
    await caller.settled();
    const jobs = await caller.jobs();
    const { settles } = await caller.charges();
    const books = `${settles} settles, ${JSON.stringify(jobs)}`;
    claim(settles === 1 && jobs.length === 1 && jobs[0]?.state === "succeeded", books);
  } finally {
    redis.disconnect();
  }
}

export const operatorFlows: readonly Flow[] = [
  {
    name: "own credential",
    mode: "live",
    also: [
      "api postgres from account_credentials",
      "api redis incrby limits:door:*:live",
      "api redis pexpire limits:door:*:live",
      "worker redis hget drift",
      "worker redis script drift",
    ],
    run: ownCredential,
  },
  { name: "credits that are added", run: addedCredits },
  { name: "daily call", run: dailyCall },
  {
    name: "quiet worker",
    also: ["api postgres from controls", "api redis get controls", "worker redis mget controls"],
    run: quietWorker,
  },
];
