import { findChromium } from "../local/chromium.ts";
import { dataDir } from "../local/data-folder.ts";
import { join } from "node:path";
import { browser as area } from "../contract/areas/browser/index.ts";
import { browserConnector } from "../worker/areas/browser/handlers.ts";
import { type BrowserPool, startBrowser } from "../worker/browser/chromium/pool.ts";
import type { Call } from "../worker/connector.ts";
import { startSites } from "./browser-sites.ts";
import { type Figure, pairs } from "./figures.ts";
import { cpuBelow } from "./process.ts";
import { timed } from "./timed.ts";

/** Variants of the browser pool; the default is one browser with two contexts held ready. */
const variants = {
  "two browsers": { browsers: 2 },
  "no context held ready": { spares: 0 },
};

interface Seen {
  p50: number;
  perSecond: number;
  /** Processor time the browsers spend on one job, in milliseconds. */
  processorMs: number;
}

/**
 * Whether more browsers and more ready contexts pay: a worker's pool alone, without API and queue.
 */
export async function browsers(options: { rounds: number; seconds: number }): Promise<Figure[]> {
  const sites = await startSites();
  const few = [1, 2, 3, 4].map((n) => sites.at(`127.0.0.${n}`));
  const found = await findChromium(join(dataDir(), "chromium"), { allowNoSandbox: false });
  const start = (variant: { browsers?: number; spares?: number }) =>
    startBrowser({
      executablePath: found.executablePath,
      launcher: found.launcher,
      sandbox: true,
      egressAllow: few.map(({ address }) => address),
      slots: 4,
      browsers: 1,
      ...variant,
    });
  const markdown = area.operations.find(({ id }) => id === "browser.markdown");
  const cpu = cpuBelow(process.pid);
  const pools: BrowserPool[] = [];

  async function measure(pool: BrowserPool, atOnce: number): Promise<Seen> {
    const connector = browserConnector(pool);
    const before = cpu.ms();
    const { p50, perSecond, count } = await timed(atOnce, options.seconds, (lane) => {
      const signal = AbortSignal.timeout(60_000);
      // The only fields of a call that the connector reads.
      const call = { signal, deadline: Date.now() + 60_000 } as Call;
      return connector["browser.markdown"](
        markdown?.input.parse({ url: few[lane % few.length]?.url }) as never,
        call,
      );
    });
    return { p50, perSecond, processorMs: (cpu.ms() - before) / count };
  }

  try {
    const baseline = await start({});
    pools.push(baseline);
    const figures: Figure[] = [];
    for (const [name, variant] of Object.entries(variants)) {
      const other = await start(variant);
      pools.push(other);
      for (const atOnce of [1, 4]) {
        const seen: { baseline: Seen; other: Seen }[] = [];
        // The first round warms up.
        for (let round = -1; round < options.rounds; round += 1) {
          const both = {
            baseline: await measure(baseline, atOnce),
            other: await measure(other, atOnce),
          };
          if (round >= 0) seen.push(both);
        }
        const figure = (what: string, unit: string, of: keyof Seen) =>
          pairs(
            `${name} against the default, ${atOnce} at once: ${what}`,
            unit,
            "",
            seen.map((both) => both.other[of]),
            seen.map((both) => both.baseline[of]),
          );
        figures.push(
          figure("time of a job", "ms p50", "p50"),
          figure("jobs", "jobs/s", "perSecond"),
          figure("processor time of a job in the browser", "ms", "processorMs"),
        );
      }
      await pools.pop()?.close();
    }
    return figures;
  } finally {
    cpu.stop();
    await Promise.all(pools.map((pool) => pool.close()));
    sites.close();
  }
}
