import { crawlsEndpoints } from "../../contract/crawls.ts";
import { GatewayError, invalid } from "../../contract/errors.ts";
import { type CrawlStore, type SeenCrawl, mayIgnoreRobots } from "../../db/crawls.ts";
import { monotonicNow } from "../../runtime/monotonic.ts";
import { HeldCalls } from "../admission/held-calls.ts";
import type { Batches } from "../batches/batches.ts";
import { continueBatch } from "../batches/continue.ts";
import { type ResultParts, sendResults } from "../batches/handlers.ts";
import type { Caller } from "../auth.ts";
import type { Services } from "../call.ts";
import { decidedWithinMs } from "../doubts.ts";
import { priced } from "../dry-run.ts";
import type { Handlers } from "../endpoints.ts";
import { commonHeaders } from "../reply.ts";
import { retryStore } from "../stores.ts";
import { create } from "./create.ts";
import { crawlView } from "./crawl-view.ts";
import { pagesOf } from "./pages.ts";
import { mustRespectRobots } from "./plan.ts";

interface Parts extends ResultParts {
  crawls: CrawlStore;
  services: Pick<Services, "budgets">;
}

const heldPages = new HeldCalls("requests for pages of crawls");

export const crawlsHandlers = {
  async "web.crawl"({ input, caller, request, reply }, { db, batches, crawls, services }) {
    const { respect_robots: obeys } = input;
    if (!obeys && !(await retryStore(() => mayIgnoreRobots(db, caller.accountId)))) {
      throw mustRespectRobots();
    }
    if (request.dryRun) {
      const { limit, max_credits: capped = Infinity } = input;
      const { body, headers } = await priced(services, caller, request.id, {
        price: { least: 0, most: Math.min(limit, capped) },
        needed: 1,
        why: `1 credit for each page, of which there are at most ${limit}; errors, duplicates and skipped addresses cost nothing${capped < limit ? `; max_credits lets them cost ${capped} at most` : ""}`,
      });
      void reply.headers({ ...commonHeaders(request.id, request.version), ...headers }).send(body);
      return undefined;
    }
    const { answer, requestId, replayed } = await create(request, input, batches, crawls);
    const { id } = (JSON.parse(answer) as { data: { id: string } }).data;
    void reply
      .code(202)
      .headers({
        ...commonHeaders(requestId, request.version),
        location: `/web/crawl/${id}`,
        ...(replayed ? { "idempotency-replayed": "true" } : {}),
      })
      .send(answer);
    return undefined;
  },

  async "web.crawl.get"({ input: { id }, caller }, { batches, crawls }) {
    return shown(await found(crawls, caller, id), batches);
  },

  async "web.crawl.pages"({ input, caller, reply }, { batches, crawls, draining }) {
    const { id, after, limit, wait } = input;
    const crawl = await found(crawls, caller, id);
    const { items, watchers } = batches;
    const now = () => retryStore(() => crawls.crawl(caller, id));
    // A request that waits looks at the crawl every second.
    const release = wait > 0 ? heldPages.hold(caller) : undefined;
    try {
      const data = await pagesOf({
        crawl,
        after,
        limit,
        waitSeconds: wait,
        items,
        watchers,
        now,
        leaving: () => draining() || reply.raw.destroyed,
      });
      return { data, available: crawl.available, headers: { "svc-version": crawl.version } };
    } finally {
      release?.();
    }
  },

  async "web.crawl.results"({ input, caller, request, reply }, parts) {
    await found(parts.crawls, caller, input.id);
    return sendResults({ input, caller, request, reply }, parts);
  },

  async "web.crawl.resume"({ input, caller, request }, { db, batches, crawls }) {
    const { id, limit, max_credits: maxCredits } = input;
    const before = await found(crawls, caller, id);
    const answer = await continueBatch(
      request,
      {
        id,
        location: `/web/crawl/${id}`,
        check: () => refuseLess(input, before),
        take: (by) => crawls.resume(caller, id, { ...by, limit, maxCredits }),
        notFound,
        cancelled: "A crawl that was cancelled is not continued",
        notKnown:
          "Whether the crawl continues is not known yet; send the request again with the same Idempotency-Key, or look at the crawl",
      },
      { db, batches },
    );
    const row = await found(crawls, caller, id, decidedWithinMs);
    return { ...shown(row, batches), ...answer };
  },

  async "web.crawl.cancel"({ input: { id }, caller }, { batches, crawls }) {
    const { statusCache, watchers, scheduler } = batches;
    await found(crawls, caller, id);
    const number = await retryStore(() => crawls.cancel(caller, id));
    if (number === undefined) throw notFound();
    statusCache.changed(number);
    watchers.changed(number);
    void scheduler.look();
    return shown(await found(crawls, caller, id), batches);
  },
} satisfies Handlers<typeof crawlsEndpoints, Parts>;

/** Waits for the row while Postgres is away, at most `patienceMs`. */
async function found(
  crawls: CrawlStore,
  caller: Caller,
  id: string,
  patienceMs = 0,
): Promise<SeenCrawl> {
  const until = monotonicNow() + patienceMs;
  const row = await retryStore(() => crawls.crawl(caller, id), { until, patienceMs });
  if (!row) throw notFound();
  return row;
}

/** Refuses new totals below what the crawl has already: such a change would have no effect. */
function refuseLess(
  {
    limit = Infinity,
    max_credits: most = Infinity,
  }: { limit?: number | undefined; max_credits?: number | undefined },
  { charged, crawl: { delivered } }: SeenCrawl,
): void {
  if (limit < delivered) {
    const message = `limit: must be at least ${delivered}, the pages that were delivered already`;
    throw invalid("body", "limit", "too_small", message);
  }
  if (most < charged) {
    const message = `max_credits: must be at least ${charged}, the credits that were charged already`;
    throw invalid("body", "max_credits", "too_small", message);
  }
}

const shown = (row: SeenCrawl, { storeNow }: Batches) => ({
  data: crawlView(row, row.crawl, storeNow()),
  available: row.available,
});

const notFound = () => new GatewayError("not_found", "There is no such crawl");
