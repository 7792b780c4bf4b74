import { Redis } from "ioredis";
import { afterAll, beforeAll, expect, test } from "vitest";
import { skewsOf } from "../../cli/doctor/clocks.ts";
import { readProcesses } from "../../runtime/processes.ts";
import { farMs, redisTime } from "../../runtime/store-clock.ts";
import { Gateway, until } from "../gateway.ts";
import { type SpawnedSimulator, spawnSimulator } from "../upstream/spawn.ts";
import { backlinks, backlinksEnv, backlinksPath } from "./cases.ts";

let upstream: SpawnedSimulator;
let gateway: Gateway;
/** Three API processes: one with the right clock, one 70 s behind, one 70 s ahead. */
let urls: { right: string; behind: string; ahead: string };

beforeAll(async () => {
  upstream = await spawnSimulator();
  gateway = await Gateway.start({ env: backlinksEnv(upstream), pools: "seo" });
  const shifted = async (shift: number) => {
    const api = await gateway.startApi({
      NODE_OPTIONS: `--import ${new URL("shifted-clock.ts", import.meta.url).href}`,
      CLOCK_SHIFT_MS: String(shift),
    });
    return api.url;
  };
  const right = gateway.url;
  const [behind, ahead] = await Promise.all([shifted(-70_000), shifted(70_000)]);
  urls = { right, behind, ahead };
  // Processes stop sequentially.
});
afterAll(async () => {
  await gateway?.stop();
  await upstream?.stop();
});

const shifts = ["behind", "ahead"] as const;

test.each(shifts)("an API process whose clock is 70 s %s serves", async (shift) => {
  const { key, accountId } = await gateway.key();
  const answers = [];
  for (let round = 0; round < 3; round += 1) {
    const names = Array.from({ length: 10 }, (_, index) => `api-${shift}${round}x${index}`);
    answers.push(
      ...(await Promise.all(
        names.map((name, index) =>
          backlinks(gateway, key, name, {
            url: urls[shift],
            ...(index % 2 === 0 ? { headers: { "Idempotency-Key": name } } : {}),
          }),
        ),
      )),
    );
  }
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  // The least operation gets 60 s; the remaining time when the hold is written is the same
  // everywhere.
  const [holds] = await gateway.db.sql<{ least: number; most: number }[]>`
    select min(extract(epoch from deadline - created_at))::float8 as least,
      max(extract(epoch from deadline - created_at))::float8 as most
    from holds where account_id = ${accountId}`;
  expect(holds?.least).toBeGreaterThan(30);
  expect(holds?.most).toBeLessThan(62);
  const charged = answers.reduce((sum, { body }) => sum + body.billing.credits_charged, 0);
  expect(await gateway.balance(accountId)).toEqual({ balance: 1000 - charged, held: 0 });
});

const pairs = shifts.flatMap((shift) => [
  ["right", shift] as const,
  [shift, "right"] as const,
  [shift, shift === "ahead" ? ("behind" as const) : ("ahead" as const)] as const,
]);

test("a key used at one process is joined and replayed at another, whatever their clocks", async () => {
  await upstream.play(backlinksPath, { faults: [], rest: { kind: "delay", ms: 1500 } });
  await Promise.all(pairs.map(([first, second]) => joined(first, second)));
});

async function joined(first: keyof typeof urls, second: keyof typeof urls): Promise<void> {
  const { key, accountId } = await gateway.key();
  const name = `joined-${first}-${second}`;
  const headers = { "Idempotency-Key": name };
  const asked = async () =>
    (await upstream.calls(backlinksPath)).filter((call) =>
      JSON.stringify(call).includes(`${name}.example.com`),
    ).length;
  const firstAnswer = backlinks(gateway, key, name, { url: urls[first], headers });
  // The second call comes while the first one runs.
  await until(async () => (await asked()) > 0);
  const other = await backlinks(gateway, key, name, { url: urls[second], headers });
  const answer = await firstAnswer;
  const replayed = await backlinks(gateway, key, name, { url: urls[second], headers });
  for (const one of [answer, other, replayed]) expect(one.status, one.text).toBe(200);
  expect([other.text, replayed.text], name).toEqual([answer.text, answer.text]);
  expect(await asked(), "one upstream call").toBe(1);
  const charged = answer.body.billing.credits_charged;
  expect(charged).toBeGreaterThan(0);
  expect(await gateway.balance(accountId)).toEqual({ balance: 1000 - charged, held: 0 });
}

test("a cursor ends at the same moment whichever API issued it, and works at any", async () => {
  const { key } = await gateway.key();
  await upstream.reset();
  const ends = new Map<string, number>();
  for (const [name, url] of Object.entries(urls)) {
    const { body } = await backlinks(gateway, key, "cursors", { url });
    const text = body.pagination?.next_cursor ?? "";
    const [payload = ""] = text.split(".");
    const { e } = JSON.parse(Buffer.from(payload, "base64url").toString()) as { e: number };
    ends.set(name, e - Date.now());
    for (const other of Object.values(urls)) {
      const next = await gateway.call(key, "POST", "/seo/backlinks/list", {
        body: { target: "cursors.example.com", limit: 1, cursor: text },
        url: other,
      });
      expect(next.status, next.text).toBe(200);
    }
  }
  const all = [...ends.values()];
  expect(Math.max(...all) - Math.min(...all), JSON.stringify([...ends])).toBeLessThan(20_000);
});

test("a clock that is far off is reported by readiness, by metrics that doctor reads, and once in the log", async () => {
  const ready = async (url: string) => {
    const { status, body } = await gateway.call<{ clock_skew_seconds: number; warning?: string }>(
      undefined,
      "GET",
      "/health/ready",
      { url },
    );
    return { ...body, status };
  };
  // A wrong clock does not stop the process, so it stays in service.
  const [right, behind] = [await ready(urls.right), await ready(urls.behind)];
  expect([right.status, behind.status]).toEqual([200, 200]);
  expect(Math.abs(right.clock_skew_seconds)).toBeLessThan(15);
  expect(right.warning).toBeUndefined();
  expect(behind.clock_skew_seconds).toBeGreaterThan(-85);
  expect(behind.clock_skew_seconds).toBeLessThan(-55);
  expect(behind.warning).toMatch(
    /^The clock of this machine is \d+\.\d s behind the clock of redis$/,
  );

  const far = async () => {
    const redis = new Redis(gateway.redis.url);
    const skews = skewsOf(await readProcesses(redis, await redisTime(redis)));
    redis.disconnect();
    return skews.map(({ process, store, ms }) =>
      Math.abs(ms) > farMs
        ? `${process.split(" ")[0]} ${store} ${Math.round(ms / 10_000)}`
        : "near",
    );
  };
  await until(async () => (await far()).length === 7);
  expect((await far()).toSorted()).toEqual([
    "api postgres -7",
    "api postgres 7",
    "api redis -7",
    "api redis 7",
    "near",
    "near",
    "near",
  ]);
  const logs = gateway.apis.map(
    ({ process }) => process.log().split("the clock of this machine is").length - 1,
  );
  expect(logs, "once for each store").toEqual([0, 2, 2]);
});

test("an ended key ends at the database's time, whatever the process's clock", async () => {
  const ends = async (seconds: number) => {
    const { key, keyId } = await gateway.key();
    await gateway.db.sql`update api_keys
      set expires_at = clock_timestamp() + ${seconds} * interval '1 s' where id = ${keyId}`;
    return key;
  };
  const [live, ended] = [await ends(60), await ends(-1)];
  const statuses = async (key: string) =>
    Promise.all(
      Object.values(urls).map(
        async (url) => (await gateway.call(key, "GET", "/account", { url })).status,
      ),
    );
  expect(await statuses(live)).toEqual([200, 200, 200]);
  expect(await statuses(ended)).toEqual([401, 401, 401]);
});
