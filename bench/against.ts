import { readFileSync, readdirSync } from "node:fs";
import { cpus } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import setup from "../test/services.ts";
import { median } from "./figures.ts";
import { type Shot, load } from "./load.ts";

/**
 * `node local/setup.mjs bench/against.ts <folder of another checkout> [--rounds N] [--seconds N]`: processor time of a
 * good call through this checkout's gateway beside one through another version's. Each round is ours, theirs, theirs,
 * ours, so that a machine that slows down steadily favours neither; processor time counts, because other work on the
 * machine takes none of it.
 */

const args = process.argv.slice(2);
const option = (name: string, fallback: number): number => {
  const at = args.indexOf(`--${name}`);
  return at < 0 ? fallback : Number(args.splice(at, 2)[1]);
};
const rounds = option("rounds", 100);
const seconds = option("seconds", 0.4);
const [other] = args;
if (other === undefined) {
  process.stderr.write("usage: bench/against.ts <folder> [--rounds N] [--seconds N]\n");
  process.exit(2);
}

interface Parts {
  database: Pick<typeof import("../test/database.ts"), "testDatabase">;
  caller: Pick<typeof import("./caller.ts"), "freeCaller" | "pepper">;
  process: Pick<typeof import("./process.ts"), "start">;
}

/** The API and a worker of a checkout, on a database of its own. */
async function open(folder: string, prefix: string) {
  const load = (path: string) => import(pathToFileURL(join(folder, path)).href) as Promise<unknown>;
  const parts = {
    database: await load("test/database.ts"),
    caller: await load("bench/caller.ts"),
    process: await load("bench/process.ts"),
  } as Parts;
  const db = await parts.database.testDatabase();
  const env = {
    DATABASE_URL: db.url,
    REDIS_URL: process.env["TEST_REDIS_URL"] as string,
    REDIS_PREFIX: prefix,
    KEY_PEPPER: parts.caller.pepper,
  };
  const started = await Promise.all(
    ["calls/api.ts", "calls/worker.ts"].map((script) => parts.process.start(script, env)),
  );
  const headers = { ...(await parts.caller.freeCaller(db)), "content-type": "application/json" };
  const body = JSON.stringify({ text: "x".repeat(200) });
  return {
    url: started[0]?.line as string,
    shot: (): Shot => ({ path: "/bench/noop", headers, body }),
    /** Processor time of the API and the worker so far, in milliseconds. */
    spent: () => started.reduce((sum, { child }) => sum + spentBy(child.pid ?? 0), 0),
    async stop() {
      await Promise.all(started.map((part) => part.stop()));
      await db.drop();
    },
  };
}

const goal = 0.97;
const heads = [
  "| good calls | processor time of a call, ms | other | calls for the same processor time, as a multiple of the other's (95 % interval) | goal |",
  "|---|---|---|---|---|",
];

const resamples = 2000;

function row(
  name: string,
  costs: Record<"ours" | "theirs", readonly number[]>,
  ratios: readonly number[],
): string {
  // Other work on the machine makes single rounds differ by half, so the median counts, and its bootstrap interval.
  const ratio = median(ratios);
  const again = Array.from({ length: resamples }, () =>
    median(ratios.map(() => ratios[Math.floor(Math.random() * ratios.length)] as number)),
  ).toSorted((a, b) => a - b);
  const [least, most] = [0.025, 0.975].map((share) => again[Math.floor(share * resamples)]) as [
    number,
    number,
  ];
  const verdict = least >= goal ? "met" : most < goal ? "NOT met" : "not settled";
  const [ours, theirs] = [median(costs.ours), median(costs.theirs)].map((ms) => ms.toPrecision(3));
  return `| ${name} | ${ours} | ${theirs} | ${ratio.toFixed(3)} (${least.toFixed(3)}–${most.toFixed(3)}) | ≥ ${goal}: ${verdict} |`;
}

/** Processor time of a process's threads in milliseconds; the kernel's other figure has steps of 10 ms (Linux). */
function spentBy(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`);
  const ran = (thread: string) =>
    Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ")[0]) / 1e6;
  return threads.reduce((sum, thread) => sum + ran(thread), 0);
}

for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));
const stop = await setup();
// Each version makes its own database.
delete process.env["TEST_TEMPLATE_DATABASE"];
try {
  const ours = await open(resolve(import.meta.dirname, ".."), "ours");
  const theirs = await open(resolve(other), "theirs");
  const sides = { ours, theirs };
  const order = ["ours", "theirs", "theirs", "ours"] as const;
  const rows: string[] = [];
  for (const atOnce of [64, 1]) {
    const ratios: number[] = [];
    const costs = { ours: [] as number[], theirs: [] as number[] };
    // The first round warms both up and is not counted.
    for (let round = 0; round <= rounds; round += 1) {
      const spent = { ours: 0, theirs: 0 };
      const sent = { ours: 0, theirs: 0 };
      for (const name of order) {
        const { url, shot, spent: used } = sides[name];
        const before = used();
        sent[name] += (await load(url, atOnce, seconds, shot)).times.length;
        spent[name] += used() - before;
      }
      if (round === 0) continue;
      const cost = { ours: spent.ours / sent.ours, theirs: spent.theirs / sent.theirs };
      costs.ours.push(cost.ours);
      costs.theirs.push(cost.theirs);
      ratios.push(cost.theirs / cost.ours);
    }
    rows.push(row(`${atOnce} at once`, costs, ratios));
  }
  process.stdout.write(
    `${rounds} rounds, ${cpus().length} x ${cpus()[0]?.model}, Node ${process.version}, other: ${other}\n\n${[...heads, ...rows].join("\n")}\n`,
  );
  await ours.stop();
  await theirs.stop();
} finally {
  await stop();
}
process.exit(0);
