import { Gateway } from "../test/gateway.ts";
import { type Figure, spread } from "./figures.ts";
import { startMixedSites } from "./mixed-sites.ts";

const accounts = 10;
const lanes = 20;
/** Of so many calls one is for a hostile page. */
const hostileEvery = 10;
const hostileMs = 5000;

interface Visits {
  answered: number;
  sent: number;
  times: number[];
  /** Traces that visits found, by name. */
  traces: string[];
  /** Answers without the mark of their own visit. */
  strange: number;
  seconds: number;
}

/**
 * Visits of many accounts to one site, alone and with a tenth of hostile pages among them: each visit names the traces
 * of others that it finds, and leaves its own.
 */
export async function mixed(options: { rounds: number; seconds: number }): Promise<Figure[]> {
  const sites = await startMixedSites();
  const gateway = await Gateway.start({
    pools: "browser",
    env: { EGRESS_ALLOW: sites.allowed },
  });
  try {
    const keys = await Promise.all(
      Array.from({ length: accounts + 1 }, async () => (await gateway.key({ credits: 1e6 })).key),
    );
    const hostileKey = keys.pop() as string;
    let count = 0;
    let hostile = 0;
    const call = async (key: string, url: string, timeoutMs: number) =>
      gateway.call<{ data?: { html?: string } }>(key, "POST", "/browser/html", {
        body: { url, timeout_ms: timeoutMs },
      });
    async function run(withHostile: boolean): Promise<Visits> {
      const seen: Visits = { answered: 0, sent: 0, times: [], traces: [], strange: 0, seconds: 0 };
      const startedAt = performance.now();
      const end = startedAt + options.seconds * 1000;
      await Promise.all(
        Array.from({ length: lanes }, async () => {
          while (performance.now() < end) {
            const number = (count += 1);
            if (withHostile && number % hostileEvery === 0) {
              await call(hostileKey, sites.hostile((hostile += 1)), hostileMs);
              continue;
            }
            const mark = `m${number}m`;
            const from = performance.now();
            const answer = await call(keys[number % accounts] as string, sites.visit(mark), 30_000);
            seen.sent += 1;
            if (answer.status !== 200) continue;
            seen.answered += 1;
            seen.times.push(performance.now() - from);
            const found = />mark:(\w+) seen:([^<]*)</.exec(answer.body.data?.html ?? "");
            if (found?.[1] !== mark) seen.strange += 1;
            seen.traces.push(...(found?.[2] ?? "").split(",").filter(Boolean));
          }
        }),
      );
      seen.seconds = (performance.now() - startedAt) / 1000;
      return seen;
    }

    // The slots follow the machine.
    await run(false);
    const rounds: { alone: Visits; beside: Visits }[] = [];
    for (let round = 0; round < options.rounds; round += 1)
      rounds.push({ alone: await run(false), beside: await run(true) });
    const died = [...gateway.workers, ...gateway.apis.map(({ process: api }) => api)].flatMap(
      (one) => one.complaints(),
    );
    const visits = rounds.flatMap(({ alone, beside }) => [alone, beside]);
    const each = (name: string, unit: string, goal: string, of: (seen: Visits) => number) => ({
      name,
      unit,
      goal,
      ours: spread(rounds.map(({ beside }) => of(beside))),
      floor: spread(rounds.map(({ alone }) => of(alone))),
      ratio: spread(rounds.map(({ alone, beside }) => of(beside) / of(alone))),
    });
    const broken = (name: string, number: number): Figure => ({
      name: `${name}: ${number} of ${visits.reduce((sum, { sent }) => sum + sent, 0)} visits`,
      unit: "",
      goal: number === 0 ? "none: met" : "none: NOT met",
      ours: spread([number]),
    });
    const traces = visits.flatMap((seen) => seen.traces);
    for (const line of [...new Set(traces), ...died]) process.stderr.write(`  ${line}\n`);
    return [
      each(
        "visits, a tenth of the calls hostile, against none",
        "visits/s",
        "",
        (seen) => seen.answered / seen.seconds,
      ),
      each("share of the visits that are answered", "", "", (seen) => seen.answered / seen.sent),
      each("time of a visit", "ms p95", "", (seen) => p95(seen.times)),
      broken("traces of other visits", traces.length + sites.cookies()),
      broken(
        "answers with another page",
        visits.reduce((sum, { strange }) => sum + strange, 0),
      ),
      broken(
        "files out of another visit's cache",
        Math.max(0, visits.reduce((sum, { answered }) => sum + answered, 0) - sites.keptFetches()),
      ),
      broken("connections to an address inside", sites.reachedInside()),
      broken("complaints of processes", died.length),
      { name: "hostile calls", unit: "", goal: "", ours: spread([hostile]) },
    ];
  } finally {
    await gateway.stop();
    sites.close();
  }
}

const p95 = (times: readonly number[]) =>
  [...times].sort((a, b) => a - b)[Math.floor(times.length * 0.95)] ?? Number.NaN;
