import type { CrawlRules } from "../runtime/crawl.ts";
import { type SeenBatch, BatchStore } from "./batches.ts";
import { type Actor, acting } from "./changes.ts";
import type { Database } from "./client.ts";
import type { Owner } from "./owner.ts";
import { retried } from "./retry.ts";

/** Items of a crawl without their address. */
export interface ItemTemplate {
  operation: string;
  pool: string;
  input: Record<string, unknown>;
  minimum: number;
  most: number;
  lasts_ms: number;
}

export interface NewCrawl {
  url: string;
  /** Crawls of the same site share its limit of requests at once. */
  site: string;
  rules: CrawlRules;
  page: ItemTemplate;
  file: ItemTemplate;
  limit: number;
  atOnce: number;
  /** Address of the first item. */
  first: string;
}

/** A crawl as it is read. */
export interface CrawlRow {
  url: string;
  limit: number;
  known: number;
  waiting: number;
  delivered: number;
  duplicates: number;
  skipped: number;
  delayMs: number;
  stoppedBy: "balance" | "max_credits" | null;
}

export type SeenCrawl = SeenBatch & { crawl: CrawlRow };

/** The parts of a crawl beside its batch; its items are those of batch-items.ts. */
export class CrawlStore extends BatchStore {
  /** The crawl of a batch that is being received, and its first item; without effect when repeated. */
  async begin(batchId: number, crawl: NewCrawl): Promise<void> {
    const { sql } = this.db;
    const { url, site, rules, page, file, limit, atOnce, first } = crawl;
    const json = (value: unknown) => sql`${JSON.stringify(value)}::text::jsonb`;
    await retried(() =>
      this.db.answer(sql`
        with receiving as (
          select b.id from batches b where b.id = ${batchId} and b.state = 'receiving' for share
        ), begun as (
          insert into crawls (batch_id, url, site, rules, page, file, page_limit, at_once)
          select id, ${url}, ${site}, ${json(rules)}, ${json(page)}, ${json(file)}, ${limit}, ${atOnce}
          from receiving on conflict do nothing
        ), address as (
          insert into crawl_urls (batch_id, hash, number, url, kind, depth, run, waiting)
          select id, crawl_hash(${first}), 0, ${first}, 1, 0, 0, false from receiving on conflict do nothing
        )
        insert into batch_items (batch_id, number, pool, operation, custom_id, input, minimum, most, lasts_ms, crawl)
        select id, 0, ${file.pool}, ${file.operation}, ${first},
          ${JSON.stringify({ ...file.input, url: first })}, ${file.minimum}, ${file.most}, ${file.lasts_ms},
          ${json({ kind: 1, depth: 0, run: 0 })}
        from receiving on conflict do nothing`),
    );
  }

  /** Undefined where the account has no such crawl. */
  async crawl(owner: Owner, publicId: string): Promise<SeenCrawl | undefined> {
    const { sql } = this.db;
    const [row] = await this.db.answer(sql<(SeenBatch & { crawl: string })[]>`
      select ${this.columns}, c.balance - c.held as available, json_build_object('url', w.url,
        'limit', w.page_limit, 'known', w.known, 'waiting', w.waiting, 'delivered', w.delivered,
        'duplicates', w.duplicates, 'skipped', w.skipped, 'delayMs', w.delay_ms,
        'stoppedBy', w.stopped_by)::text as crawl
      from batches b join crawls w on w.batch_id = b.id
        join balances c on c.account_id = b.account_id and c.mode = b.mode
      where b.public_id = ${publicId} and b.state <> 'receiving'
        and b.account_id = ${owner.accountId} and b.mode = ${owner.mode}`);
    return row && { ...row, crawl: JSON.parse(row.crawl) as CrawlRow };
  }

  /** Continues a crawl, once for each `stepId`; the answers are those of `retry`. */
  async resume(
    { accountId, mode, keyId }: Owner & { keyId: string },
    publicId: string,
    change: {
      stepId: string;
      notAfter: number;
      limit?: number | undefined;
      maxCredits?: number | undefined;
    },
  ): Promise<number | "cancelled" | "late" | undefined> {
    const { stepId, notAfter, limit = null, maxCredits = null } = change;
    const [row] = await retried(() =>
      this.db.answer(
        this.db.sql<{ id: number | null }[]>`
          select resume_crawl(${publicId}, ${accountId}, ${mode}, ${keyId}, ${stepId},
            ${this.there(notAfter)}, ${limit}, ${maxCredits}) as id`,
        10_000,
      ),
    );
    if (row?.id === -1) return "cancelled";
    return row?.id === -2 ? "late" : (row?.id ?? undefined);
  }
}

/** Whether crawls of the account may ignore robots.txt. */
export async function mayIgnoreRobots(db: Database, accountId: number): Promise<boolean> {
  const rows = await db.answer(
    db.sql`select 1 as one from robots_exemptions where account_id = ${accountId}`,
  );
  return rows.length > 0;
}

/** Lets crawls of an account ignore robots.txt, or no longer. */
export async function exemptFromRobots(
  db: Database,
  accountId: number,
  isExempt: boolean,
  actor?: Actor,
): Promise<void> {
  await db.answer(
    db.sql`select exempt_from_robots(${accountId}, ${isExempt}) from ${acting(db, actor)}`,
  );
}
