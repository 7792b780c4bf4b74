import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { processTree } from "../worker/browser/chromium/process-tree.ts";
import { Gateway } from "../test/gateway.ts";
import { startSites } from "./browser-sites.ts";
import { type Figure, spread } from "./figures.ts";

/** Memory of the worker's container in bytes, as `constrainedMemory` tells it. */
const limit = 4_000_000_000;
const accounts = 16;
const atOnce = 32;
const lookEveryMs = 50;
const againMs = 200;

/** Pages of 300 MB, many at once: the slots keep the worker and its browsers below 70 % of the memory. */
export async function memory(options: { rounds: number; seconds: number }): Promise<Figure[]> {
  const sites = await startSites();
  const hosts = [1, 2, 3, 4].map((n) => sites.at(`127.0.0.${n}`));
  const gateway = await Gateway.start({
    env: { EGRESS_ALLOW: hosts.map(({ address }) => address).join() },
  });
  try {
    const limited = fileURLToPath(new URL("limited-memory.ts", import.meta.url));
    const worker = await gateway.startWorker({
      WORKER_POOLS: "browser",
      MEMORY_LIMIT: String(limit),
      NODE_OPTIONS: `--import=${limited}`,
    });
    const root = worker.child.pid as number;
    const keys = await Promise.all(
      Array.from({ length: accounts }, () => gateway.key({ credits: 1_000_000 })),
    );
    const run = async (seconds: number) => {
      let most = 0;
      const parents = new Map<number, number>();
      let looking = Promise.resolve();
      const timer = setInterval(() => {
        looking = looking.then(async () => {
          const tree = await processTree(root, parents);
          most = Math.max(
            most,
            tree.reduce((sum, { bytes }) => sum + bytes, 0),
          );
        });
      }, lookEveryMs);
      const startedAt = performance.now();
      let answered = 0;
      let ended = 0;
      await Promise.all(
        Array.from({ length: atOnce }, async (_, lane) => {
          while (performance.now() - startedAt < seconds * 1000) {
            const { status } = await gateway.call(
              keys[lane % accounts]?.key as string,
              "POST",
              "/browser/markdown",
              { body: { url: `${hosts[lane % hosts.length]?.url}large`, timeout_ms: 60_000 } },
            );
            if (status === 200) answered += 1;
            else if (status === 503) await sleep(againMs);
            else ended += 1;
          }
        }),
      );
      const perSecond = answered / ((performance.now() - startedAt) / 1000);
      clearInterval(timer);
      await looking;
      return { perSecond, ended, share: most / limit };
    };
    const rounds = [];
    for (let round = 0; round < options.rounds; round += 1) rounds.push(await run(options.seconds));
    const most = Math.max(...rounds.map(({ share }) => share));
    return [
      {
        name: `memory of a worker and its browsers, ${atOnce} pages of 300 MB at once, most of ${limit / 1e9} GB`,
        unit: "share",
        goal: `≤ 0.7: ${most <= 0.7 ? "met" : "NOT met"}`,
        ours: spread(rounds.map(({ share }) => share)),
      },
      {
        name: "such pages",
        unit: "pages/s",
        goal: "",
        ours: spread(rounds.map((one) => one.perSecond)),
      },
      {
        name: "such pages that were ended",
        unit: "",
        goal: "",
        ours: spread(rounds.map((one) => one.ended)),
      },
    ];
  } finally {
    await gateway.stop();
    sites.close();
  }
}
