import { expect, test } from "vitest";
import { type Attempt, type BookedCall, type TopUps, contradictions } from "./history.ts";

const success: Attempt = {
  account: 1,
  key: "k",
  status: 200,
  requestId: "a",
  text: "A",
  charged: 3,
  records: 3,
  delivered: 3,
  remaining: 7,
};
const booked: BookedCall = {
  requestId: "a",
  account: 1,
  key: "k",
  state: "settled",
  taken: 3,
  settled: { credits: 3, records: 3, available: 7 },
  used: 3,
};
const refused: Attempt = { account: 1, status: 503, requestId: "b", text: "B" };
const unkeyed: BookedCall = { ...booked, requestId: "c", key: null };
const topUp: TopUps = { account: 1, sure: 10, unsure: 5, booked: 10 };

test("a history that agrees with the books", () => {
  const voided: BookedCall = { requestId: "b", account: 1, key: null, state: "void", taken: 0 };
  const left: Attempt = { account: 1, status: "unknown" };
  expect(
    contradictions([success, success, refused, left], [booked, voided, unkeyed], [topUp]),
  ).toEqual([]);
  expect(contradictions([], [], [{ ...topUp, booked: 15 }])).toEqual([]);
});

const wrong: [string, Attempt[], BookedCall[], TopUps[]][] = [
  ["a success never settled", [success], [], []],
  ["another sum than answered", [{ ...success, charged: 2 }], [booked], []],
  ["a ledger entry that is missing", [success], [{ ...booked, taken: 0 }], []],
  ["a ledger entry too many", [success], [{ ...booked, taken: 6 }], []],
  ["usage of another sum", [success], [{ ...booked, used: 6 }], []],
  ["records billed and not delivered", [{ ...success, delivered: 2 }], [booked], []],
  ["another account", [success], [{ ...booked, account: 2 }], []],
  ["an error that was charged", [refused], [{ ...unkeyed, requestId: "b" }], []],
  ["a key answered in two ways", [success, { ...success, text: "B" }], [booked], []],
  [
    "a key charged twice",
    [success, { ...success, requestId: "d" }],
    [booked, { ...booked, requestId: "d" }],
    [],
  ],
  ["a charge for no call", [], [unkeyed], []],
  ["more charges than calls without an answer", [{ account: 2, status: "unknown" }], [unkeyed], []],
  ["an unreported keyed charge", [{ account: 1, status: "unknown" }], [booked], []],
  ["a hold left open", [], [{ ...unkeyed, state: "open", taken: 0 }], []],
  [
    "a void that was charged",
    [{ account: 1, status: "unknown" }],
    [{ ...unkeyed, state: "void" }],
    [],
  ],
  [
    "a negative balance",
    [{ ...success, remaining: -1 }],
    [{ ...booked, settled: { credits: 3, records: 3, available: -1 } }],
    [],
  ],
  ["a top-up lost", [], [], [{ ...topUp, booked: 9 }]],
  ["a top-up booked twice", [], [], [{ ...topUp, booked: 16 }]],
];

test.each(wrong)("found: %s", (_name, attempts, books, topUps) => {
  expect(contradictions(attempts, books, topUps)).not.toEqual([]);
});
