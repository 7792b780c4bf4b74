import { expect, test } from "vitest";
import { operations } from "../../../contract/index.ts";
import type { Operation } from "../../../contract/operation.ts";
import {
  type KeptCall,
  keyFromPepper,
  memberOf,
  entryOf,
  openCall,
  sealCall,
} from "../../../runtime/kept-answers.ts";
import { failedCalls, surplusOf } from "../../../worker/failures/keep.ts";
import { replay } from "../../../worker/failures/replay.ts";

const key = keyFromPepper("p".repeat(40));
const question = (path: string) => JSON.stringify(["GET", path, null, null, null]);
const answer = (path: string, body: unknown) => ({
  upstream: "hackernews",
  method: "GET",
  question: question(path),
  status: 200,
  contentType: "application/json",
  body: Buffer.from(JSON.stringify(body)).toString("base64"),
});
const call = (id: string, answers: KeptCall["answers"]): KeptCall => ({
  requestId: "svc_1",
  operation: "news_aggregator.users.get",
  input: { id },
  maxRecords: 1,
  outcome: "response_shape_error",
  at: 1,
  version: "0.2.0",
  answers,
});
const op = operations.get("news_aggregator.users.get") as Operation;

test("a kept call opens with its key and request id alone, and shows nothing", () => {
  const kept = call("someone", [answer("/v0/user/someone.json", { id: "someone" })]);
  const sealed = sealCall(key, kept);
  expect(openCall(key, "svc_1", sealed)).toEqual(kept);
  expect(openCall(keyFromPepper("q".repeat(40)), "svc_1", sealed)).toBeUndefined();
  expect(openCall(key, "svc_2", sealed)).toBeUndefined();
  expect(openCall(key, "svc_1", sealed.subarray(0, 20))).toBeUndefined();
  expect(sealed.toString("latin1")).not.toContain("someone");
});

test("today's code maps the kept answers, each to its own request, and sends nothing", async () => {
  const other = answer("/v0/user/other.json", { id: "other", karma: 1 });
  const own = answer("/v0/user/someone.json", { id: "someone", karma: 2 });
  const mapped = await replay(op, call("someone", [other, own]), () => undefined);
  expect(mapped).toMatchObject({ data: { id: "someone", karma: 2 } });
});

test("an answer that still does not fit is named by its field, and a missing one is no result", async () => {
  const wrong = call("someone", [answer("/v0/user/someone.json", { karma: 2 })]);
  expect(await replay(op, wrong, () => undefined)).toMatchObject({
    error: { type: "response_shape_error", field: "user.id" },
  });
  expect(await replay(op, call("someone", []), () => undefined)).toMatchObject({
    error: { type: "upstream_unavailable" },
  });
});

test("the newest calls stay: five of an operation, 200 in all, 32 MiB", () => {
  const entries = (count: number, operationOf: (index: number) => string, bytes = 1) =>
    Array.from({ length: count }, (_, index) =>
      entryOf(memberOf(operationOf(index), `svc_${index}`, bytes)),
    );
  const same = entries(7, () => "a.b");
  expect(surplusOf(failedCalls, same)).toEqual(same.slice(5));
  const many = entries(300, (index) => `a.b${index % 100}`);
  expect(surplusOf(failedCalls, many)).toEqual(many.slice(200));
  const large = entries(20, (index) => `a.b${index}`, 2 * 1024 * 1024);
  expect(surplusOf(failedCalls, large)).toEqual(large.slice(16));
});
