import { expect, test } from "vitest";
import { describe, redactJobData, withoutInput } from "../../dashboards/redact.ts";

test("values are replaced by their shape", () => {
  expect(["four", 7, true, null, [1, 2], { a: 1 }].map(describe)).toEqual([
    "string, 4 characters",
    "number",
    "boolean",
    "null",
    "list of 2",
    "object with 1 fields",
  ]);
});

test("job data keeps the operator's details and no value of the caller's", () => {
  const shown = redactJobData({
    operation: "seo.serp",
    mode: "live",
    tenant: "account-7-live",
    max_records: 10,
    deadline: Date.UTC(2026, 6, 1),
    reply: "reply:api-1",
    input: { keyword: "secret", filters: { and: [{ field: "hidden" }] } },
    cursor: { after: "secret" },
    added_later: "secret",
  });
  expect(shown).toEqual({
    operation: "seo.serp",
    mode: "live",
    tenant: "account-7-live",
    max_records: 10,
    deadline: "2026-07-01T00:00:00.000Z",
    reply: "reply:api-1",
    input: { keyword: "string, 6 characters", filters: "object with 1 fields" },
    cursor: "object with 1 fields",
  });
});

test("data that is not one of our jobs shows its shape only", () => {
  expect(redactJobData("secret")).toBe("string, 6 characters");
  expect(redactJobData({ input: ["secret"] })).toMatchObject({ input: "list of 1" });
});

test("an error's text loses the caller's strings in every spelling", () => {
  const clean = withoutInput({
    input: { url: 'https://a.example/x y?q="1"', nested: [{ deep: "https://a.example/" }] },
    cursor: { after: "token-1" },
  });
  expect(clean('cannot open https://a.example/x y?q="1"')).toBe("cannot open [input]");
  expect(clean('got {"url":"https://a.example/x y?q=\\"1\\""}')).toBe('got {"url":"[input]"}');
  expect(clean("GET /?u=https%3A%2F%2Fa.example%2Fx%20y%3Fq%3D%221%22")).toBe("GET /?u=[input]");
  expect(clean("at https://a.example/x%20y?q=%221%22 after token-1")).toBe(
    "at [input] after [input]",
  );
});

test("a lone surrogate in the input does not fail", () => {
  expect(withoutInput({ input: { q: "ab\ud800cd" } })("fine")).toBe("fine");
});

test("an input with too many strings hides the whole text", () => {
  const targets = Array.from({ length: 5_000 }, (_, i) => `target-${i}é "quoted"`);
  expect(withoutInput({ input: { targets } })("target-17 failed")).not.toContain("target-17");
});

test("a webhook keeps only ids and the host", () => {
  const data = {
    delivery: "whd_1",
    attempt: 2,
    url: "https://a.example/hook/secret",
    headers: { "webhook-id": "evt_1", "webhook-signature": "v1,secret" },
    body: '{"secret":1}',
    deadline: Date.UTC(2026, 6, 1),
  };
  expect(redactJobData(data)).toEqual({
    delivery: "whd_1",
    attempt: 2,
    event: "evt_1",
    host: "a.example",
    deadline: "2026-07-01T00:00:00.000Z",
  });
  expect(withoutInput(data)("no answer from https://a.example/hook/secret")).not.toContain(
    "secret",
  );
});
