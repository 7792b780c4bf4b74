import { expect, test } from "vitest";
import type { BottleneckName, PoolAnswer } from "../../../dashboards/capacity/answer.ts";
import type { DatabaseLoad } from "../../../dashboards/capacity/sample.ts";
import { follow, last } from "./follow.ts";
import { Recording, type Step } from "./samples.ts";

/** Walls put before a pool one after the other; each must be named, with what would help. */

const pool = "serp";

const machine = {
  process: "a-1",
  host: "a",
  busy_processors: 0.5,
  processors: 2,
  own_processors: 0.3,
  memory_used: 1e9,
  memory: 4e9,
  own_limits: false,
};
const calm: Step = {
  perSecond: 10,
  serviceSeconds: 0.1,
  now: { slots: 8, workers: 2, running: 1, machines: [machine] },
};
const idleDatabase: DatabaseLoad = { milliseconds: 1, connections: 10, most: 100, blocked: 0 };

interface Wall {
  name: string;
  wall: BottleneckName;
  help: PoolAnswer["more_workers"];
  says: RegExp;
  put: (recording: Recording) => Step;
}

const now = (change: Step["now"]): Step => ({ ...calm, now: { ...calm.now, ...change } });

/** Seconds of each step of the credits, per call. */
function slowCredits(recording: Recording, reserve: number, settle: number): void {
  let calls = 0;
  recording.also = () => {
    calls += 50;
    return {
      database: idleDatabase,
      credits: {
        reserve: { calls, seconds: calls * reserve },
        settle: { calls, seconds: calls * settle },
      },
    };
  };
}

const walls: Wall[] = [
  {
    name: "Redis's one thread",
    wall: "redis",
    help: "do_not_help",
    says: /^Redis uses 0.98 of 1 cores/,
    put(recording) {
      let spent = 0;
      recording.also = ({ redis }) => ({ redis: { ...redis, processorSeconds: (spent += 4.9) } });
      return calm;
    },
  },
  {
    name: "Redis's memory",
    wall: "redis",
    help: "do_not_help",
    says: /^Redis uses 95 of 100 MB/,
    put(recording) {
      recording.redis = { processorSeconds: 0, usedBytes: 95e6, limitBytes: 100e6 };
      return calm;
    },
  },
  {
    name: "connections of the database",
    wall: "database",
    help: "do_not_help",
    says: /^The database has 96 of 100 connections/,
    put(recording) {
      recording.also = () => ({ database: { ...idleDatabase, connections: 96 } });
      return calm;
    },
  },
  {
    name: "a slow database",
    wall: "database",
    help: "do_not_help",
    says: /^The database takes 140 ms for the simplest statement/,
    put(recording) {
      recording.also = () => ({ database: { ...idleDatabase, milliseconds: 140 } });
      return calm;
    },
  },
  {
    name: "slow writes of the database",
    wall: "database",
    help: "do_not_help",
    says: /^Reserving and settling the credits of a call takes 400 ms .* writes or locks/,
    put(recording) {
      slowCredits(recording, 0.1, 0.3);
      return calm;
    },
  },
  {
    name: "locks of the database",
    wall: "database",
    help: "do_not_help",
    says: /^12 sessions of the database wait for locks/,
    put(recording) {
      recording.also = () => ({ database: { ...idleDatabase, blocked: 12 } });
      return calm;
    },
  },
  {
    name: "the quota of an upstream",
    wall: "upstream_quota",
    help: "do_not_help",
    says: /^provider allows 600 requests a minute and calls need 1200/,
    put(recording) {
      recording.quotas = { provider: { account: "PROVIDER_KEY", per_second: 10 } };
      return { ...calm, requestsPerCall: 2 };
    },
  },
  {
    name: "processors",
    wall: "processor",
    help: "help_on_other_machines",
    says: /^a uses 1.9 of 2 processors/,
    put: () => now({ machines: [{ ...machine, busy_processors: 1.94, own_processors: 1.5 }] }),
  },
  {
    name: "processors that other programs keep busy",
    wall: "processor",
    help: "help_on_other_machines",
    says: /^a \(busy with other programs\) uses 1.9 of 2 processors/,
    put: () => now({ machines: [{ ...machine, busy_processors: 1.94, own_processors: 0.2 }] }),
  },
  {
    name: "memory",
    wall: "memory",
    help: "help_on_other_machines",
    says: /^a uses 3800 of 4000 MB/,
    put: () => now({ machines: [{ ...machine, memory_used: 3.8e9 }] }),
  },
  {
    name: "an account's own limit",
    wall: "account_concurrency",
    help: "do_not_help",
    says: /refused by their account's own concurrency limit \(mostly acme\)/,
    put(recording) {
      let crowded = 0;
      recording.also = ({ pools }) => ({
        pools: { ...pools, [pool]: { ...pools[pool], crowded: (crowded += 20) } },
        crowdedBy: { [pool]: "acme" },
      });
      return calm;
    },
  },
  {
    name: "slots",
    wall: "slots",
    help: "help",
    says: /^10 calls\/s .* keep 20 slots busy/,
    put: () => ({ ...now({ running: 8, waiting: 0 }), serviceSeconds: 2 }),
  },
];

test.each(walls)("$name is named", ({ wall, help, says, put }) => {
  const recording = new Recording(pool);
  const answer = last(follow(recording)(40, put(recording)));
  expect(answer.reason).toMatch(says);
  expect(answer).toMatchObject({ wall, more_workers: help });
});

test("without a wall none is named", () => {
  const recording = new Recording(pool);
  slowCredits(recording, 0.002, 0.004);
  const answer = last(follow(recording)(40, calm));
  expect(answer.wall).toBe("slots");
  expect(answer.walls.filter(({ binds }) => binds)).toEqual([]);
});
