import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { importsOf, root } from "../../imports.ts";
import { found } from "./known.ts";
import { absent, combinations, flows, nameOf, readList, unlisted } from "./matrix.ts";
import { PostgresProtocol, sqlFunctions, statementLabel } from "./postgres-relay.ts";
import { RedisProtocol, keyKind } from "./redis-relay.ts";

const byCommand = "only the command line calls it";
const byOperator = "only the command line and the dashboards call it";

/** SQL functions in files that an API process loads, and that no flow calls. */
const withoutFlow: Readonly<Record<string, string>> = {
  create_account: byCommand,
  create_api_key: byCommand,
  end_control:
    "it runs a minute after a quiet worker's end at the earliest, and a second one changes nothing",
  exempt_from_robots: byCommand,
  note_change: byOperator,
  revoke_api_key: byCommand,
  rotate_api_key: byCommand,
  set_budget: byOperator,
};

/** The files of a program, found by its imports. */
function filesOf(main: string): Set<string> {
  const found = new Set([main]);
  for (const file of found) {
    for (const name of importsOf(file)) {
      if (name.endsWith(".ts")) found.add(name);
    }
  }
  return found;
}

test("every SQL function that an API process may call has a flow, or a reason why not", () => {
  const words = Object.values(readList()).flatMap((trips) =>
    Object.keys(trips).flatMap((trip) => trip.split(/[ +]/)),
  );
  const called = [...filesOf("api/main.ts")]
    .filter((file) => file.startsWith("db/"))
    .flatMap((file) => {
      const text = readFileSync(join(root, file), "utf8");
      return [...text.matchAll(/(?:from|select) (\w+)\(/g)].map(([, name]) => name as string);
    })
    .filter((name) => sqlFunctions.has(name));
  const missing = [...new Set(called)].filter((name) => !words.includes(name)).sort();
  expect(missing).toEqual(Object.keys(withoutFlow).sort());
});

test("every flow has a list of its round trips, and the list has no other", () => {
  expect(Object.keys(readList()).sort()).toEqual(flows.map(({ name }) => name).sort());
});

test("a combination that has found a fault is in the list", () => {
  const names = combinations(readList()).map(nameOf);
  expect(found.filter((name) => !names.includes(name))).toEqual([]);
});

test("a round trip that is not listed, or too seldom there, is noticed in whichever flow it is", () => {
  const [idle, flow] = ["idle", "call"].map((name) => flows.find((one) => one.name === name));
  if (idle === undefined || flow === undefined) throw new Error("the flows have other names");
  const list = { idle: { "api postgres sweep": 1 }, call: { "api postgres reserve": 2 } };
  const seen = new Map([
    ["api postgres reserve", 1],
    ["api postgres sweep", 3],
    ["api postgres other", 1],
  ]);
  expect(unlisted(list, flow, seen)).toEqual(["api postgres other"]);
  expect(unlisted(list, idle, seen)).toEqual(["api postgres reserve", "api postgres other"]);
  expect(absent(list, flow, seen)).toEqual(["api postgres reserve #2"]);
});

test("what a store sends unasked has no fates of a request", () => {
  const list = { call: { "api redis messaged reply:*": 1, "api redis hdel limits": 1 } };
  const fatesOf = (trip: string) =>
    combinations(list).flatMap((one) => (one.trip === `${trip} #1` ? [one.fate] : []));
  expect(fatesOf("api redis hdel limits")).toHaveLength(6);
  expect(fatesOf("api redis messaged reply:*")).toEqual([
    "answer lost",
    "answer cut",
    "answer late",
    "killed",
  ]);
});

test("a statement is named by its SQL function, or by its tables", () => {
  const settle =
    "select *, extract(epoch from clock_timestamp()) from settle_calls($1::text::jsonb)";
  expect(statementLabel(settle)).toBe("settle_calls");
  const taken = "with gone as (delete from job_owners) insert into job_owners values ($1)";
  expect(statementLabel(taken)).toBe("delete from job_owners, insert into job_owners");
  expect(statementLabel('select "id" from "accounts" where true')).toBe("from accounts");
  expect(statementLabel("select 1")).toBeUndefined();
  expect(statementLabel("begin ")).toBe("begin");
  expect(statementLabel("create or replace function settle_calls() returns int")).toBe("schema");
});

/** A message of Postgres's protocol. */
function message(type: string, body: string): Buffer {
  const bytes = Buffer.from(body);
  const head = Buffer.alloc(5);
  head.write(type);
  head.writeUInt32BE(bytes.length + 4, 1);
  return Buffer.concat([head, bytes]);
}

test("a round trip to Postgres ends with Sync and ReadyForQuery, in whatever pieces they come", () => {
  const postgres = new PostgresProtocol();
  const startup = Buffer.from([0, 0, 0, 8, 0, 3, 0, 0]);
  const parse = message("P", "s1\0select * from take_webhooks($1)\0\0\0");
  const execution = [message("B", "\0s1\0"), message("E", "\0\0\0\0\0"), message("S", "")];
  const sent = Buffer.concat([startup, parse, message("H", ""), ...execution, ...execution]);
  const requests = [...sent].flatMap((byte) => postgres.requests(Buffer.from([byte])));
  const [first, prepared, ...trips] = requests;
  expect([first?.isTrip, prepared?.isTrip]).toEqual([false, false]);
  expect(trips).toEqual(
    [1, 2].map(() => ({
      bytes: Buffer.concat(execution),
      isTrip: true,
      label: "take_webhooks",
    })),
  );
  expect(Buffer.concat(requests.map(({ bytes }) => bytes))).toEqual(sent);
  const replies = postgres.replies(Buffer.concat([message("2", ""), message("Z", "I")]));
  expect(replies.map(({ ends }) => ends)).toEqual([false, true]);
});

const command = (...words: string[]) =>
  `*${words.length}\r\n${words.map((word) => `$${word.length}\r\n${word}\r\n`).join("")}`;

test("a round trip to Redis is a command, or a transaction as a whole", () => {
  const redis = new RedisProtocol();
  const one = command("GET", "gateway:result:svc_1");
  const several = ["MULTI", "EXEC"].map((word) => command(word));
  const transaction = several.join(command("SET", "gateway:social:12", "1"));
  const requests = [...Buffer.from(one + transaction)].flatMap((byte) =>
    redis.requests(Buffer.from([byte])),
  );
  expect(requests.map(({ label }) => label)).toEqual(["get result:*", "multi set queue:*"]);
  const replies = redis.replies(
    Buffer.from("$-1\r\n>1\r\n+push\r\n+OK\r\n+QUEUED\r\n*1\r\n+OK\r\n"),
  );
  expect(replies.map(({ ends }) => ends)).toEqual([true, false, false, false, true]);
});

test("a message to a subscriber is named by its channel", () => {
  const message = command("message", "gateway:cancel:social", "svc_1").replace("*", ">");
  const [reply] = new RedisProtocol().replies(Buffer.from(message));
  expect(reply).toMatchObject({ ends: false, pushed: "messaged cancel:queue" });
});

test("a kind of key has no ids", () => {
  expect(keyKind("gateway:limits:rate:12:test")).toBe("limits:rate:*:test");
  expect(keyKind("{gateway}:social:svc_12ab:lock")).toBe("queue:*:lock");
});
