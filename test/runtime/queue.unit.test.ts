import { expect, test } from "vitest";
import { decodeHints, decodeOutcome, encodeOutcome, outcomeVersion } from "../../runtime/queue.ts";

const outcome = { ok: true, records: 2, truncated: false } as const;

test("hints of this release, of 0.1.0, and without bytes are read", () => {
  const message = Buffer.from(`svc_a 5 ${outcomeVersion}\nhellosvc_b 0\nsvc_c 3\n{\n}`);
  expect(decodeHints(message)).toEqual({
    hints: [
      { jobId: "svc_a", stored: Buffer.from("hello") },
      { jobId: "svc_b", stored: undefined },
      { jobId: "svc_c", stored: Buffer.from("{\n}") },
    ],
    rest: false,
  });
});

test.each(["svc_b 5 9\nhello", "svc_b\nhello", "svc_b 50\nhello", "{}", "svc_b x 1\n"])(
  "unknown parts of a hint are returned as the rest (%j)",
  (later) => {
    const { hints, rest } = decodeHints(Buffer.from(`svc_a 2 1\nhi${later}`));
    expect(hints.map(({ jobId }) => jobId)).toEqual(["svc_a"]);
    expect(rest).toBe(true);
  },
);

test("an outcome carries its version; one of 0.1.0 has none, a later one is not guessed at", () => {
  const stored = encodeOutcome(outcome, Buffer.from("[1]"));
  expect(stored.toString()).toBe('{"v":1,"ok":true,"records":2,"truncated":false}\n[1]');
  expect(decodeOutcome(stored)).toEqual({ outcome, data: Buffer.from("[1]") });
  const first = Buffer.from('{"ok":true,"records":2,"truncated":false}\n[1]');
  expect(decodeOutcome(first)).toEqual({ outcome, data: Buffer.from("[1]") });
  expect(() => decodeOutcome(Buffer.from('{"v":2}\n'))).toThrow("version 2");
});
