import { expect, test } from "vitest";
import { resultOf, shownBody } from "../../api/webhooks/answer.ts";
import { pauseMs, defaultPauses } from "../../api/webhooks/retry.ts";

const answer = { delivery: "whd_1", attempt: 1, at: 0, ms: 5 };

test("a receiver's answer is stored without anything like a secret, and up to 500 characters", () => {
  const secrets = [
    "svc_live_0123abcd_secretsecretsecret",
    "whsec_c2VjcmV0c2VjcmV0",
    "Bearer abcdefgh12345678",
    `v1,${"A".repeat(43)}=`,
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln",
  ];
  for (const secret of secrets) {
    const shown = shownBody(`got ${secret} from you`);
    expect(shown, secret).toContain("[redacted]");
    expect(shown, secret).not.toContain(secret);
  }
  expect(shownBody(`a\u0000b\r\n\tc${"x".repeat(1000)}`)).toMatch(/^a b cx+$/);
  expect(shownBody("x".repeat(1000))).toHaveLength(500);
});

test("2xx is delivered, 410 is gone, every other status is retried", () => {
  const of = (status: number) => {
    const { delivered, gone } = resultOf({ ...answer, status });
    return { delivered, gone };
  };
  for (const status of [200, 202, 204])
    expect(of(status)).toEqual({ delivered: true, gone: false });
  for (const status of [301, 307, 400, 404, 429, 500])
    expect(of(status)).toEqual({ delivered: false, gone: false });
  expect(of(410)).toEqual({ delivered: false, gone: true });
  expect(resultOf({ ...answer, fault: "timeout" })).toMatchObject({
    delivered: false,
    gone: false,
  });
});

test("pauses grow, with up to a fifth of jitter, and respect the receiver's Retry-After", () => {
  const bare = (attempt: number) => pauseMs(attempt, { random: 0 });
  const grown = Array.from({ length: 12 }, (_, index) => bare(index + 1));
  expect(grown).toEqual([...grown].toSorted((a, b) => a - b));
  expect(grown[0]).toBe(5000);
  expect(grown[11]).toBe(6 * 3600_000);
  expect(pauseMs(1, { random: 1 })).toBe(6000);
  expect(pauseMs(1, { random: 0, askedSeconds: 60 })).toBe(60_000);
  expect(resultOf({ ...answer, status: 429, retry_after: 3600 }).pause_ms).toBeGreaterThanOrEqual(
    3600_000,
  );
  // The database makes the last attempt, at 24 hours.
  const seconds = defaultPauses.reduce((sum, pause) => sum + pause, 0);
  expect(seconds).toBeLessThan(24 * 3600);
});
