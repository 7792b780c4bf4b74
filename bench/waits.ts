import { Gateway } from "../test/gateway.ts";
import { slowMs, startSites } from "./browser-sites.ts";
import { type Figure, pairs, spread } from "./figures.ts";
import { load } from "./load.ts";
import { cpuBelow, cpuMs } from "./process.ts";
import { startRaw } from "./raw-browser.ts";
import { timed } from "./timed.ts";

/** Numbers at once among which the bare shell's best one is. */
const shellNumbers = [8, 16, 32, 64];
const accounts = 16;
/** A queue whose slots have not risen yet takes fewer calls. */
const againMs = 100;
const msPerHour = 3_600_000;
/** A page of two seconds needs several times as long for a rate. */
const leastSeconds = 8;

interface Seen {
  perSecond: number;
  p95: number;
  /** Processor time of a page in milliseconds: browser, worker and API of the gateway, or the bare browser. */
  processorMs: number;
}

interface Page {
  name: string;
  path: string;
  /** Selector of what the page shows in the end. */
  shown?: string;
  atOnce: readonly number[];
  goal: string;
}

const slow: Page = { name: "pages of 2 s", path: "slow", atOnce: [8, 32, 128], goal: "≥ 1.0 x" };
const pages: readonly Page[] = [
  slow,
  {
    name: "application pages",
    path: "application",
    shown: "main h1",
    atOnce: [32],
    goal: "≥ 1.0 x",
  },
  { name: "instant pages", path: "", atOnce: [4, 16], goal: "≥ 1.2 x" },
];

/**
 * Pages that wait, and instant ones, of many accounts through the gateway with its usual settings, beside the bare
 * headless shell at its own best number at once.
 */
export async function waits(options: {
  rounds: number;
  seconds: number;
  dollarsPerCoreHour?: number | undefined;
}): Promise<Figure[]> {
  const sites = await startSites();
  const hosts = [1, 2, 3, 4].map((n) => sites.at(`127.0.0.${n}`));
  const gateway = await Gateway.start({
    pools: "browser",
    env: { EGRESS_ALLOW: hosts.map(({ address }) => address).join() },
  });
  const shell = await startRaw("shell");
  const worker = gateway.workers[0]?.child.pid as number;
  const api = gateway.apis[0]?.process.child.pid as number;
  const below = { gateway: cpuBelow(worker), shell: cpuBelow(shell.pid) };
  const spent = {
    gateway: () => below.gateway.ms() + (cpuMs(worker) ?? Number.NaN) + (cpuMs(api) ?? Number.NaN),
    shell: () => below.shell.ms() + (cpuMs(shell.pid) ?? Number.NaN),
  };
  try {
    const keys = await Promise.all(
      Array.from({ length: accounts }, () => gateway.key({ credits: 1_000_000 })),
    );
    const url = (index: number, path: string) => `${hosts[index % hosts.length]?.url ?? ""}${path}`;
    const costing = async (
      of: keyof typeof spent,
      run: () => Promise<{ perSecond: number; p95: number; count: number }>,
    ): Promise<Seen> => {
      const before = spent[of]();
      const { count, ...seen } = await run();
      return { ...seen, processorMs: (spent[of]() - before) / count };
    };
    const ours = (path: string, atOnce: number, seconds: number, beginOverMs?: number) =>
      costing("gateway", async () => {
        const { times, ...seen } = await load(
          gateway.url,
          atOnce,
          seconds,
          (index) => ({
            path: "/browser/markdown",
            headers: {
              authorization: `Bearer ${keys[index % accounts]?.key}`,
              "content-type": "application/json",
            },
            // With less time the queue takes fewer calls.
            body: JSON.stringify({ url: url(index, path), timeout_ms: 60_000 }),
          }),
          { againMs, beginOverMs },
        );
        return { ...seen, count: times.length };
      });
    const bare = ({ path, shown }: Page, atOnce: number, seconds: number) =>
      costing("shell", () =>
        timed(atOnce, seconds, (lane) => shell.read(url(lane, path), false, shown)),
      );

    const slowSeconds = Math.max(options.seconds, leastSeconds);
    const figures: Figure[] = [];
    for (const page of pages) {
      const seconds = page === slow ? slowSeconds : options.seconds;
      const best = await bestNumber((atOnce) => bare(page, atOnce, seconds));
      for (const atOnce of page.atOnce) {
        // The slots of the first calls follow the machine to those of the measured ones.
        await ours(page.path, Math.min(atOnce, accounts), seconds);
        await ours(page.path, atOnce, 2 * seconds);
        const shellAtOnce = Math.min(atOnce, best);
        const both: { own: Seen; floor: Seen }[] = [];
        for (let round = 0; round < options.rounds; round += 1) {
          const floor = await bare(page, shellAtOnce, seconds);
          both.push({ own: await ours(page.path, atOnce, seconds), floor });
        }
        const name = `${page.name}, ${atOnce} at once, against the shell at ${shellAtOnce}`;
        const pairsOf = (title: string, unit: string, goal: string, of: keyof Seen) =>
          pairs(
            title,
            unit,
            goal,
            both.map(({ own }) => own[of]),
            both.map(({ floor }) => floor[of]),
          );
        figures.push(
          pairsOf(name, "pages/s", page.goal, "perSecond"),
          pairsOf("processor time of such a page", "ms", "", "processorMs"),
        );
      }
      figures.push(...costs(page, figures.at(-1), options.dollarsPerCoreHour));
    }
    const besideOthers = await besideNineteen(
      (atOnce, seconds, beginOverMs) => ours(slow.path, atOnce, seconds, beginOverMs),
      (atOnce, seconds) => bare(slow, atOnce, seconds),
      { rounds: options.rounds, seconds: slowSeconds },
    );
    return [...figures, ...besideOthers];
  } finally {
    below.gateway.stop();
    below.shell.stop();
    await shell.close();
    await gateway.stop();
    sites.close();
  }
}

/** The number at once at which the bare shell has most pages a second. */
async function bestNumber(rateOf: (atOnce: number) => Promise<Seen>): Promise<number> {
  let best = { atOnce: 0, perSecond: 0 };
  for (const atOnce of shellNumbers) {
    const { perSecond } = await rateOf(atOnce);
    process.stderr.write(`  the shell at ${atOnce}: ${perSecond.toFixed(1)} a second\n`);
    if (perSecond > best.perSecond) best = { atOnce, perSecond };
  }
  return best.atOnce;
}

/** Renders of a core-hour, by the processor time of a page, and of a dollar where the price is given. */
function costs(page: Page, time: Figure | undefined, dollars: number | undefined): Figure[] {
  if (!time) return [];
  const per = (amount: number) => (value: number) => amount / value;
  const figure = (name: string, unit: string, amount: number): Figure => ({
    name: `${page.name}: ${name}`,
    unit,
    goal: "",
    ours: spread([time.ours.median, time.ours.least, time.ours.most].map(per(amount))),
    ...(time.floor && {
      floor: spread([time.floor.median, time.floor.least, time.floor.most].map(per(amount))),
    }),
  });
  const hour = figure("renders of a core-hour", "pages", msPerHour);
  if (dollars === undefined) return [hour];
  return [
    hour,
    figure(`renders of a dollar at ${dollars} a core-hour`, "pages", msPerHour / dollars),
  ];
}

/**
 * A page of two seconds beside nineteen others, against one alone: of callers that come one after another, and of
 * callers that all begin in the same moment, whose pages then all want the processors in the same moments. Of the
 * latter also the shell's.
 */
async function besideNineteen(
  ours: (atOnce: number, seconds: number, beginOverMs?: number) => Promise<Seen>,
  shell: (atOnce: number, seconds: number) => Promise<Seen>,
  { rounds, seconds }: { rounds: number; seconds: number },
): Promise<Figure[]> {
  type Round = Record<"alone" | "spread" | "together" | "shellAlone" | "shell", number>;
  await ours(20, seconds, slowMs);
  const seen: Round[] = [];
  for (let round = 0; round < rounds; round += 1) {
    seen.push({
      alone: (await ours(1, seconds)).p95,
      spread: (await ours(20, seconds + slowMs / 1000, slowMs)).p95,
      together: (await ours(20, seconds)).p95,
      shellAlone: (await shell(1, seconds)).p95,
      shell: (await shell(20, seconds)).p95,
    });
  }
  const figure = (name: string, goal: string, of: keyof Round, alone: keyof Round = "alone") =>
    pairs(
      `pages of 2 s, 20 at once, ${name}, against one alone`,
      "ms p95",
      goal,
      seen.map((one) => one[of]),
      seen.map((one) => one[alone]),
    );
  return [
    figure("begun one after another", "≤ 1.3 x", "spread"),
    figure("all begun at once", "≤ 1.3 x", "together"),
    figure("all begun at once, of the shell", "", "shell", "shellAlone"),
  ];
}
