import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Redis } from "ioredis";
import type * as z from "zod";
import { type Pool, pools } from "../../contract/operation.ts";
import { capacityHistory, costBy } from "../../db/capacity.ts";
import { readLastMinute } from "../status/calls.ts";
import type { Database } from "../../db/client.ts";
import type { Reading } from "../metrics.ts";
import { crowdedAccounts } from "./crowded.ts";
import { databaseLoad } from "./database.ts";
import type { PoolSettings } from "./decide.ts";
import { capacityPage, costPage } from "./page.ts";
import { recorder } from "./record.ts";
import type { CapacityAnswer } from "./answer.ts";
import { CapacityWatch } from "./watch.ts";
import { question, whatIf } from "./what-if.ts";
import { whatIfPage } from "./what-if-page.ts";

interface Parts {
  redis: Redis;
  db: Database | undefined;
  settings: Readonly<Record<Pool, PoolSettings>>;
  /** Rejects when Redis does not answer. */
  read: () => Promise<Reading>;
  everyMs?: number | undefined;
}

type Query = { Querystring: Record<string, string | undefined> };

const isForPeople = ({ headers }: FastifyRequest) => headers.accept?.includes("text/html") ?? false;
const sendPage = (reply: FastifyReply, html: string) => reply.type("text/html").send(html);
const withoutDatabase = "DATABASE_URL is not set, so there is no history";

/** A whole number of the query from 1 to `most`, or else the default. */
const within = (text: string | undefined, fallback: number, most: number): number => {
  const value = Math.round(Number(text ?? fallback));
  return value >= 1 && value <= most ? value : fallback;
};

type Figures = Record<string, string | number | undefined>;

/** The measured figures of a pool, under the names of the what-if question. */
function measuredOf(answer: CapacityAnswer | undefined, pool: string | undefined): Figures {
  const one = answer?.pools[pools.find((name) => name === pool) ?? "browser"];
  return {
    per_second: one?.arrivals.peak_per_second,
    service_ms: one?.service?.mean_ms,
    service_scv: one?.service?.scv,
    arrival_scv: one?.arrivals.scv,
    target_ms: one?.target_p95_wait_ms,
    slots_per_worker: one?.slots.per_worker,
  };
}

const problemOf = ({ issues }: z.ZodError, values: Figures): string =>
  issues
    .map(({ path, message }) => {
      const name = path.join(".");
      const isUnmeasured = name !== "pool" && values[name] === undefined;
      return `${name}: ${isUnmeasured ? "was not measured yet and must be given" : message}`;
    })
    .join("; ");

/** How many workers each pool should have, for programs (JSON) and for people (pages); returns the watch behind it. */
export function serveCapacity(
  app: FastifyInstance,
  { redis, db, settings, read, everyMs }: Parts,
): Pick<CapacityWatch, "answer"> {
  const watch = new CapacityWatch({
    redis,
    settings,
    read,
    everyMs,
    database: db && (() => databaseLoad(db)),
    crowdedBy: () => crowdedAccounts(redis, db),
    onAnswer:
      db &&
      recorder(
        db,
        (now) => readLastMinute(redis, now),
        (message) => app.log.warn(message),
      ),
  });
  app.addHook("onClose", async () => watch.close());

  /** The last hours in about 100 points. */
  async function history(requestedHours: string | undefined) {
    const hours = within(requestedHours, 24, 168);
    const minutes = Math.ceil((hours * 60) / 100);
    return db && { hours, minutes, points: await capacityHistory(db, { hours, minutes }) };
  }

  app.get<Query>("/capacity", async (request, reply) => {
    // In the first moment after a start the first sample is still being taken.
    if (!watch.answer && watch.trouble === undefined) await watch.look();
    const { answer, trouble } = watch;
    if (isForPeople(request)) {
      const known = await history(request.query["hours"]).catch(() => undefined);
      const shown = known && { ...known, now: Date.now() };
      const isUseful = answer !== undefined || (known?.points.length ?? 0) > 0;
      return sendPage(reply.code(isUseful ? 200 : 503), capacityPage(answer, trouble, shown));
    }
    if (answer) return reply.send(answer);
    return reply
      .code(503)
      .header("Retry-After", 5)
      .send({ error: trouble ?? "There are no measurements yet" });
  });

  app.get<Query>("/capacity/what-if", async (request, reply) => {
    const given = Object.entries(request.query).filter(([, value]) => value !== "");
    const values: Figures = {
      ...measuredOf(watch.answer, request.query["pool"]),
      ...Object.fromEntries(given),
    };
    const parsed = question.safeParse(values);
    const answer = parsed.success ? whatIf(parsed.data) : undefined;
    const problem = parsed.error && problemOf(parsed.error, values);
    if (isForPeople(request)) {
      // A fresh form may lack figures that were not measured; the person has done nothing wrong yet.
      const isFresh = given.every(
        ([name, value]) => name === "pool" && pools.some((pool) => pool === value),
      );
      const shownProblem = isFresh ? undefined : problem;
      return sendPage(
        reply.code(shownProblem === undefined ? 200 : 400),
        whatIfPage({ values, answer, problem: shownProblem }),
      );
    }
    return answer ? reply.send(answer) : reply.code(400).send({ error: problem });
  });

  app.get<Query>("/capacity/history", async (request, reply) => {
    const known = await history(request.query["hours"]);
    return known ? reply.send(known) : reply.code(503).send({ error: withoutDatabase });
  });

  app.get<Query>("/capacity/cost", async (request, reply) => {
    const days = within(request.query["days"], 7, 92);
    if (!db) return reply.code(503).send({ error: withoutDatabase });
    const rows = await costBy(db, days);
    return isForPeople(request)
      ? sendPage(reply, costPage(rows, days))
      : reply.send({ days, rows });
  });
  return watch;
}
