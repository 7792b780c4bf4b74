import { Redis } from "ioredis";
import { buildIfOld } from "../client/build.ts";
import { Gateway, until } from "../test/gateway.ts";
import { dashboards } from "../test/dashboards/services.ts";
import { type Figure, spread } from "./figures.ts";
import { fill } from "./pages-data.ts";

const goalMs = 300;

const boardPages = (callId: string): string[] =>
  `/ /?span=week /calls /calls?status=failed /calls?order=slowest&hours=168 /calls?account=account-0002
  /calls?type=upstream_error&mode=live /calls/${callId} /accounts /accounts?page=9 /accounts?name=77
  /accounts/account-0002 /work /webhooks /workers /capacity /pools/social /pools/serp
  /pools/social/shortclip.search /upstreams /upstreams/reddit /upstreams/dataforseo /canaries /controls
  /changes /changes?kind=control /runbooks /metrics /none`.split(/\s+/);

const docsPages =
  "/docs /docs/errors /docs/mcp /docs/forum /docs/maps.search /docs/mapz /docs/search.json /openapi.json".split(
    " ",
  );

/** Milliseconds from the request to the end of its answer. */
async function timeOf(get: () => Promise<Response>): Promise<number> {
  const began = performance.now();
  await (await get()).arrayBuffer();
  return performance.now() - began;
}

/** Every page for operators on a hundred thousand calls of a thousand accounts, and the served documents. */
export async function pages({ rounds }: { rounds: number }): Promise<Figure[]> {
  // As `npm start` and the image do.
  await buildIfOld();
  const gateway = await Gateway.start({ pools: "social" });
  const redis = new Redis(gateway.redis.url);
  try {
    const { key } = await gateway.key({ account: "first", mode: "test" });
    const { body } = await gateway.call<{ request_id: string }>(
      key,
      "GET",
      "/shortclip/search?q=tea",
    );
    const told = () =>
      gateway.db.sql`select 1 from stories where request_id = ${body.request_id}`.then(
        ({ length }) => length > 0,
      );
    await until(told);
    await fill(gateway.db, redis, body.request_id);
    const board = await dashboards(gateway.redis.url, { databaseUrl: gateway.db.url });
    try {
      const all: [string, () => Promise<Response>][] = [
        ...boardPages(body.request_id).map((path): [string, () => Promise<Response>] => [
          path.replace(body.request_id, "svc_…"),
          () => board.get(path),
        ]),
        ...docsPages.map((path): [string, () => Promise<Response>] => [
          path,
          () => fetch(gateway.url + path),
        ]),
      ];
      const figures: Figure[] = [];
      for (const [name, get] of all) {
        const times = [];
        for (let round = 0; round <= rounds; round += 1) times.push(await timeOf(get));
        const ours = spread(times);
        // The slowest counts, also the first one, on which nothing was prepared.
        const goal = `≤ ${goalMs} ms, slowest: ${ours.most <= goalMs ? "met" : "NOT met"}`;
        figures.push({ name, unit: "ms", ours, goal });
      }
      return figures;
    } finally {
      await board.app.close();
    }
  } finally {
    redis.disconnect();
    await gateway.stop();
  }
}
