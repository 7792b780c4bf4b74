import { cpus } from "node:os";
import { growth } from "./growth.ts";
import { markdown } from "./markdown.ts";
import setup from "../test/services.ts";
import { batch } from "./batch.ts";
import { browser } from "./browser.ts";
import { browsers } from "./browsers.ts";
import { bulk } from "./bulk.ts";
import { capacity } from "./capacity.ts";
import { memory } from "./memory.ts";
import { mixed } from "./mixed.ts";
import { waits } from "./waits.ts";
import { calls } from "./calls/main.ts";
import { crawl } from "./crawl.ts";
import { credits } from "./credits.ts";
import { type Figure, table } from "./figures.ts";
import { jobs } from "./jobs.ts";
import { pages } from "./pages.ts";

/** `npm run bench -- [name …] [--rounds N] [--seconds N] [--dollars-per-core-hour N] [--json]`: every figure beside its floor. */
const suites: Record<
  string,
  (options: {
    rounds: number;
    seconds: number;
    dollarsPerCoreHour: number | undefined;
  }) => Promise<Figure[]>
> = {
  calls,
  growth,
  credits,
  async browser(options) {
    return [...(await browser(options)), ...(await waits(options))];
  },
  waits,
  memory,
  mixed,
  crawl,
  browsers,
  markdown,
  bulk,
  batch,
  jobs,
  pages,
};

const args = process.argv.slice(2);
const option = (name: string, fallback: number): number => {
  const at = args.indexOf(`--${name}`);
  return at < 0 ? fallback : Number(args.splice(at, 2)[1]);
};
/** Price of an hour of one processor of the reader's machine; with it `browser` and `waits` print renders per dollar. */
const dollarsPerCoreHour = option("dollars-per-core-hour", Number.NaN) || undefined;
const rounds = option("rounds", 5);
const seconds = option("seconds", 4);
const json = args.includes("--json");
const named = args.filter((arg) => !arg.startsWith("--"));
const chosen = named.length > 0 ? named : Object.keys(suites);

for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));
const stop = await setup();
try {
  const figures: Figure[] = [];
  for (const name of chosen) {
    if (name === "capacity") {
      process.stderr.write(`${name}, 16 minutes …\n`);
      await capacity((text) => process.stdout.write(text));
      continue;
    }
    const suite = suites[name];
    if (!suite)
      throw new Error(`there is no benchmark ${name}; there are ${Object.keys(suites).join(", ")}`);
    process.stderr.write(`${name} …\n`);
    figures.push(...(await suite({ rounds, seconds, dollarsPerCoreHour })));
  }
  const machine = `${cpus().length} x ${cpus()[0]?.model}, Node ${process.version}`;
  process.stdout.write(
    json
      ? `${JSON.stringify({ machine, figures }, null, 2)}\n`
      : `${machine}\n\n${table(figures)}\n`,
  );
} finally {
  await stop();
}
process.exit(0);
