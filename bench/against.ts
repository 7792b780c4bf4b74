import { cpus } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import setup from "../test/services.ts";
import { pairs, table } from "./figures.ts";
import { type Shot, load } from "./load.ts";
import { cpuMs } from "./process.ts";

/**
 * `node local/setup.mjs bench/against.ts <folder of another checkout> [--rounds N] [--seconds N]`: good calls through
 * this checkout's gateway beside those through another version's, in turns, so that both see the same machine.
 */

const args = process.argv.slice(2);
const option = (name: string, fallback: number): number => {
  const at = args.indexOf(`--${name}`);
  return at < 0 ? fallback : Number(args.splice(at, 2)[1]);
};
const rounds = option("rounds", 12);
const seconds = option("seconds", 4);
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
    spent: () => started.reduce((sum, { child }) => sum + (cpuMs(child.pid ?? 0) ?? 0), 0),
    async stop() {
      await Promise.all(started.map((part) => part.stop()));
      await db.drop();
    },
  };
}

for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));
const stop = await setup();
// Each version makes its own database.
delete process.env["TEST_TEMPLATE_DATABASE"];
try {
  const ours = await open(resolve(import.meta.dirname, ".."), "ours");
  const theirs = await open(resolve(other), "theirs");
  const many = { ours: [] as number[], theirs: [] as number[] };
  const single = { ours: [] as number[], theirs: [] as number[] };
  const spent = { ours: [] as number[], theirs: [] as number[] };
  // The first round warms both up and is not counted.
  for (let round = 0; round <= rounds; round += 1) {
    const sides = [["ours", ours] as const, ["theirs", theirs] as const];
    for (const [name, { url, shot, spent: used }] of round % 2 ? sides : sides.toReversed()) {
      const before = used();
      const crowd = await load(url, 64, seconds, shot);
      const after = used();
      const alone = await load(url, 1, seconds / 2, shot);
      if (round === 0) continue;
      many[name].push(crowd.perSecond);
      spent[name].push((after - before) / crowd.times.length);
      single[name].push(alone.p50);
    }
  }
  const figures = [
    pairs("good calls, 64 at once", "calls/s", "≥ 0.97 x", many.ours, many.theirs),
    pairs("processor time of a call, 64 at once", "ms", "≤ 1.03 x", spent.ours, spent.theirs),
    pairs("good calls, one at a time", "ms p50", "≤ 1.03 x", single.ours, single.theirs),
  ];
  process.stdout.write(
    `${cpus().length} x ${cpus()[0]?.model}, Node ${process.version}, floor: ${other}\n\n${table(figures)}\n`,
  );
  await ours.stop();
  await theirs.stop();
} finally {
  await stop();
}
process.exit(0);
