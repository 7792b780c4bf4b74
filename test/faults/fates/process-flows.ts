import { randomUUID } from "node:crypto";
import { CallStore } from "../../../db/calls.ts";
import { type Caller, claim } from "./caller.ts";
import type { Flow } from "./flow.ts";

/** Flows that no caller begins: what processes do by themselves, and their starts and ends. */

/** Name of the flow without a caller. */
export const background = "idle";

const search = "/shortclip/search?q=street%20food&limit=3";
const slowJob = {
  path: search,
  headers: { prefer: "respond-async", "svc-test-scenario": "slow" },
};
/** Longer than the pauses of the timers that serve calls, and than a pause between sweeps. */
const idleMs = 4500;

/** A job that was accepted before ends, and a new call is answered. */
export async function works(caller: Caller, settles: number): Promise<void> {
  const told = await caller.insist({ path: search });
  claim(told.status === 200, `${told.status}: ${told.text}`);
  await caller.settled();
  const charges = await caller.charges();
  claim(charges.settles === settles, `${charges.settles} settles of ${settles}`);
}

/** Credits of a call whose process died long ago. */
async function lostHold({ lane, accountId, keyId }: Caller): Promise<string> {
  const { db } = lane.gateway;
  const requestId = `svc_${randomUUID().replaceAll("-", "")}`;
  const deadline = Date.now() + 60_000;
  const owner = { accountId, keyId, mode: "test" } as const;
  const operation = "shortclip.search";
  await new CallStore(db).reserve({
    ...owner,
    requestId,
    operation,
    minimum: 1,
    most: 3,
    deadline,
  });
  await db.sql`
    update holds set deadline = clock_timestamp() - interval '10 seconds' where id = ${requestId}`;
  return requestId;
}

/** Heartbeats, sweeps and looks at the stores' state. */
async function idle(caller: Caller): Promise<void> {
  const id = await lostHold(caller);
  caller.lane.watch();
  await caller.idle(idleMs);
  caller.lane.relays.pause();
  await works(caller, 1);
  const [hold] = await caller.lane.gateway.db.sql<{ state: string }[]>`
    select state from holds where id = ${id}`;
  claim(hold?.state === "void", `the hold of a lost call is ${hold?.state}`);
}

async function shutDown(caller: Caller, role: "api" | "worker"): Promise<void> {
  await caller.insist(slowJob);
  caller.lane.watch();
  const code = await caller.lane.replace(role);
  claim(code === 0 || code === "SIGKILL", `the ${role} process ended with ${code}`);
  await caller.settled();
  caller.lane.relays.pause();
  await works(caller, 2);
}

export const processFlows: readonly Flow[] = [
  {
    name: background,
    also: [
      "api postgres tell_stories",
      "api redis script metrics:totals",
      "worker redis script metrics:totals",
    ],
    run: idle,
  },
  {
    name: "stop and start of an API process",
    also: [
      "api postgres adopt_jobs",
      "api postgres delete from job_owners, insert into job_owners",
    ],
    run: (caller) => shutDown(caller, "api"),
  },
  {
    name: "stop and start of a worker",
    run: (caller) => shutDown(caller, "worker"),
  },
];
