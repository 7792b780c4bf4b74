import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Gateway } from "../gateway.ts";
import { type Origin, startOrigin } from "../origin.ts";
import { type SpawnedSimulator, spawnSimulator } from "../upstream/spawn.ts";
import {
  type Pages,
  backlinksEnv,
  concurrentSpend,
  diesAt,
  fiftyConcurrentRetries,
  sameKeyTwice,
  takenOver,
  withoutHints,
} from "./cases.ts";
import type { GuardName } from "./guards.ts";
import { isProven, withoutTitle } from "./proven.ts";

/** Each of these cases fails, by its own assertion, as soon as its guard is left out. */

let origin: Origin;
let upstream: SpawnedSimulator;
beforeAll(async () => {
  [origin, upstream] = await Promise.all([startOrigin(), spawnSimulator()]);
});
afterAll(async () => {
  await Promise.all([origin.stop(), upstream.stop()]);
});

/** The cases of one guard; they run when a source that they depend on has changed since their last recorded pass. */
function describeWithout(guard: GuardName, cases: () => void): void {
  const title = withoutTitle(guard);
  describe.skipIf(isProven(title))(title, cases);
}

/** Starts a gateway without the guard for the tests of one group. */
function pagesWithout(guard: GuardName): Pages {
  const pages = {} as Pages;
  beforeAll(async () => {
    const env = { EGRESS_ALLOW: origin.address };
    pages.origin = origin;
    pages.gateway = await Gateway.start({ pools: "browser", env, without: guard });
  });
  afterAll(() => pages.gateway?.stop());
  return pages;
}

describeWithout("claim by key", () => {
  const pages = pagesWithout("claim by key");

  test("case 1 fails: the second call is charged separately", () =>
    expect(sameKeyTwice(pages)).rejects.toThrow(/one charge: expected \{ balance: 8/));

  test("case 3 fails: concurrent retries are charged separately", () =>
    expect(fiftyConcurrentRetries(pages)).rejects.toThrow(
      /one charge: expected \{ balance: \d\d?,/,
    ));

  test.each(["after_settle", "before_write"] as const)(
    "case 4 fails for an API that dies %s: the retry is charged as well",
    (point) => expect(diesAt(pages, point)).rejects.toThrow(/one charge: expected \{ balance: 8/),
  );
});

describeWithout("re-attachment to the running row", () => {
  const pages = pagesWithout("re-attachment to the running row");

  test.each(["after_enqueue", "after_result"] as const)(
    "case 4 fails for an API that dies %s: the work is done twice",
    (point) => expect(diesAt(pages, point)).rejects.toThrow(/one upstream call: expected 2/),
  );
});

describeWithout("job added again", () => {
  const pages = pagesWithout("job added again");

  test("case 4 fails for an API that dies after_reserve: no worker does the work", () =>
    expect(diesAt(pages, "after_reserve")).rejects.toThrow(/expected 503 to be 200/));
});

describeWithout("one settle per hold", () => {
  const pages = pagesWithout("one settle per hold");

  test("case 3 fails on two API processes: both charge", async () => {
    await pages.gateway.startApi();
    await expect(fiftyConcurrentRetries(pages)).rejects.toThrow(
      /one charge: expected \{ balance: /,
    );
  });
});

describeWithout("row lock and checks", () => {
  const spend = async (without: GuardName, spending: (gateway: Gateway) => Promise<unknown>) => {
    const env = { TIKHUB_BASE_URL: upstream.url, TIKHUB_API_KEY: "sample" };
    const gateway = await Gateway.start({ pools: "social", env, without });
    try {
      await spending(gateway);
    } finally {
      await gateway.stop();
    }
  };

  test("case 7 fails: more is spent than there is", async () => {
    const overspent = /charged and left: expected \d+ to be 50|left: expected -\d+ to be greater/;
    const seen: string[] = [];
    // Two processes must overlap while little is left, which a slow machine may not achieve at
    // first.
    await spend("row lock and checks", async (gateway) => {
      while (seen.length < 10 && !seen.some((error) => overspent.test(error)))
        seen.push(await concurrentSpend(gateway).then(() => "no more than there was", String));
    });
    expect(seen).toContainEqual(expect.stringMatching(overspent));
  });

  test("case 7 holds with the lock and an equally slow function", () =>
    spend("only speed", concurrentSpend));
});

describeWithout("looking", () => {
  let gateway: Gateway;
  let redis: Redis;
  beforeAll(async () => {
    const env = backlinksEnv(upstream);
    gateway = await Gateway.start({ pools: "seo", env, without: "looking" });
    redis = new Redis(gateway.redis.url);
  });
  afterAll(async () => {
    redis?.disconnect();
    await gateway?.stop();
  });

  test("case 13 fails: no call is answered", () =>
    expect(withoutHints(gateway, redis, upstream, 20, 7000)).rejects.toThrow(
      /calls without an answer, the first: {"status":"no answer"/,
    ));
});

describeWithout("stalled check", () => {
  const pages = pagesWithout("stalled check");

  test("case 16 fails: no worker takes the job over", () =>
    expect(takenOver(pages, { timeoutMs: 3000 })).rejects.toThrow(/expected 504 to be 200/));
});
