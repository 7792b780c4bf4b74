import { setTimeout as sleep } from "node:timers/promises";
import { Pool } from "undici";

export interface Load {
  perSecond: number;
  p50: number;
  p95: number;
  /** Sorted times of all calls in milliseconds. */
  times: number[];
}

export interface Shot {
  path: string;
  headers: Record<string, string>;
  body: string;
}

export interface LoadOptions {
  /** A call that a full queue refuses is sent again after so long, and only its last attempt counts. */
  againMs?: number;
  /** The first calls begin one after another over so long; at once when absent. */
  beginOverMs?: number | undefined;
}

/** Sends calls `atOnce` at a time for `seconds`; every answer must be 200. */
export async function load(
  url: string,
  atOnce: number,
  seconds: number,
  shot: (index: number) => Shot,
  { againMs, beginOverMs = 0 }: LoadOptions = {},
): Promise<Load> {
  const pool = new Pool(url, { connections: atOnce, pipelining: 1 });
  const times: number[] = [];
  let index = 0;
  const startedAt = performance.now();
  const end = startedAt + seconds * 1000;
  try {
    await Promise.all(
      Array.from({ length: atOnce }, async (_, lane) => {
        if (beginOverMs > 0) await sleep((beginOverMs * lane) / atOnce);
        while (performance.now() < end) {
          const { path, headers, body } = shot(index++);
          const from = performance.now();
          const answer = await pool.request({ method: "POST", path, headers, body });
          const text = await answer.body.text();
          if (answer.statusCode === 503 && againMs !== undefined) {
            await sleep(againMs);
            continue;
          }
          if (answer.statusCode !== 200)
            throw new Error(`${answer.statusCode}: ${text.slice(0, 300)}`);
          times.push(performance.now() - from);
        }
      }),
    );
  } finally {
    await pool.destroy();
  }
  const perSecond = (times.length / (performance.now() - startedAt)) * 1000;
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.floor(times.length * share)] ?? 0;
  return { perSecond, p50: at(0.5), p95: at(0.95), times };
}
