import { build, thisProcess } from "../runtime/build.ts";
import { farMs, skewText } from "../runtime/store-clock.ts";
import { queuePrefix } from "../runtime/redis/keys.ts";
import type { openEndpoints } from "../contract/open.ts";
import { pools } from "../contract/operation.ts";
import type { Database } from "../db/client.ts";
import { type Handlers, inputOf } from "./endpoints.ts";
import type { Pages } from "./docs/routes.ts";
import type { Documents } from "./openapi/document.ts";
import type { Dispatcher } from "./queue/dispatch.ts";

interface Parts {
  db: Database;
  dispatcher: Dispatcher;
  draining: () => boolean;
  documents: Documents;
  pages: Pick<Pages, "send">;
}

/** Endpoints that need no key. */
export const openHandlers = {
  async "gateway.openapi"({ request, reply }, { documents }) {
    const { input } = documents;
    const { area } = inputOf({ method: "GET", path: "/openapi.json", input }, request);
    const document = await documents.of(area);
    await document.send(request, reply);
    return undefined;
  },

  async "gateway.docs"({ request, reply }, { pages }) {
    await pages.send("", request, reply);
    return undefined;
  },

  async "gateway.health.live"() {
    return { data: { status: "live" } };
  },

  // Ready means able to take calls; a pool without workers answers 503 for its own operations only.
  async "gateway.health.ready"(_, { db, dispatcher, draining }) {
    const [database, redis] = await Promise.all([
      succeeds(db.answer(db.sql`select 1`)),
      // Write instead of ping: a replica, or a full Redis, answers a ping.
      succeeds(dispatcher.redis.set(`${queuePrefix}:ready`, 1, "PX", 60_000)),
    ]);
    const ready = database && redis && !draining();
    const { skewMs, objection } = dispatcher;
    const skew =
      Math.abs(skewMs) > farMs
        ? `The clock of this machine is ${skewText(skewMs, "redis")}`
        : undefined;
    const warnings = [objection, skew].filter((text) => text !== undefined);
    return {
      status: ready ? 200 : 503,
      data: {
        status: ready ? "ready" : draining() ? "draining" : "not ready",
        database,
        redis,
        workers: Object.fromEntries(pools.map((pool) => [pool, dispatcher.stateOf(pool).workers])),
        clock_skew_seconds: Math.round(skewMs / 100) / 10,
        version: build.version,
        ...(build.commit === undefined ? {} : { commit: build.commit }),
        since: new Date(thisProcess.since).toISOString(),
        // Calls still work, so a load balancer need not send them elsewhere.
        ...(warnings.length > 0 ? { warning: warnings.join(" ") } : {}),
      },
    };
  },
} satisfies Handlers<typeof openEndpoints, Parts>;

const succeeds = (step: Promise<unknown>): Promise<boolean> =>
  step.then(
    () => true,
    () => false,
  );
