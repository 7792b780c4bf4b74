import { Gateway } from "../test/gateway.ts";
import { spawnSimulator } from "../test/upstream/spawn.ts";
import { type Figure, pairs } from "./figures.ts";
import { load } from "./load.ts";

const latencyMs = 300;
const paths = [
  "/v3/backlinks/summary/live",
  "/v3/backlinks/bulk_ranks/live",
  "/v3/backlinks/bulk_pages_summary/live",
];

/**
 * Single calls of one account while another account runs twenty bulk calls of 1000 targets, beside
 * the same single calls alone; and a bulk call beside its upstream call.
 */
export async function bulk(options: { rounds: number; seconds: number }): Promise<Figure[]> {
  const upstream = await spawnSimulator();
  const gateway = await Gateway.start({
    pools: "seo,seo-bulk",
    env: {
      DATAFORSEO_BASE_URL: upstream.url,
      DATAFORSEO_LOGIN: "login",
      DATAFORSEO_PASSWORD: "password",
    },
  });
  try {
    for (const path of paths) {
      await upstream.play(path, { faults: [], rest: { kind: "delay", ms: latencyMs } });
    }
    const single = await gateway.key({ credits: 10_000_000 });
    const other = await gateway.key({ credits: 10_000_000 });
    const targets = Array.from({ length: 1000 }, (_, index) => `site-${index}.example`);
    const shot = (key: string, path: string, body: object) => () => ({
      path,
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    const singles = (seconds: number) =>
      load(
        gateway.url,
        4,
        seconds,
        shot(single.key, "/seo/backlinks/summary", { target: "site.example" }),
      );
    // The more expensive bulk operation: a thousand hosts are ten upstream calls.
    const bulks = () =>
      Promise.all(
        Array.from({ length: 20 }, () =>
          gateway.call(other.key, "POST", "/seo/backlinks/bulk-pages-summary", {
            body: { targets },
          }),
        ),
      );

    const p95 = { alone: [] as number[], beside: [] as number[] };
    const bulkMs: number[] = [];
    const upstreamMs: number[] = [];
    for (let round = 0; round <= options.rounds; round += 1) {
      const alone = await singles(options.seconds);
      const running = bulks();
      const beside = await singles(options.seconds);
      const answers = await running;
      const failed = answers.filter((answer) => answer.status !== 200);
      if (failed.length > 0) throw new Error(`bulk: ${failed[0]?.text.slice(0, 300)}`);
      const startedAt = performance.now();
      await gateway.call(other.key, "POST", "/seo/backlinks/bulk-ranks", { body: { targets } });
      const took = performance.now() - startedAt;
      const from = performance.now();
      const raw = await fetch(`${upstream.url}/v3/backlinks/bulk_ranks/live`, {
        method: "POST",
        headers: { authorization: `Basic ${Buffer.from("login:password").toString("base64")}` },
        body: JSON.stringify([{ targets }]),
      });
      await raw.text();
      if (round === 0) continue;
      upstreamMs.push(performance.now() - from);
      bulkMs.push(took);
      p95.alone.push(alone.p95);
      p95.beside.push(beside.p95);
    }
    return [
      pairs(
        "single call beside 20 bulk calls of 1000 targets, against alone",
        "ms p95",
        "≤ 1.5 x",
        p95.beside,
        p95.alone,
      ),
      pairs(
        "1000-target bulk, upstream of 300 ms, against the upstream call alone",
        "ms",
        "≤ 1.15 x",
        bulkMs,
        upstreamMs,
      ),
    ];
  } finally {
    await gateway.stop();
    await upstream.stop();
  }
}
