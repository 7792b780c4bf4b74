import { boolean, integer, jsonb, pgTable, primaryKey, smallint, text } from "./drizzle.ts";
import { bytea, credits, mode, moment } from "./columns.ts";

/** The tables of batches. */

export const batches = pgTable("batches", {
  id: credits("id").primaryKey().generatedAlwaysAsIdentity(),
  publicId: text("public_id").notNull(),
  accountId: credits("account_id").notNull(),
  mode: mode(),
  keyId: text("key_id").notNull(),
  version: text("version").notNull(),
  scenario: text("scenario"),
  idempotencyKey: text("idempotency_key"),
  fingerprint: text("fingerprint"),
  answer: text("answer"),
  owner: text("owner").notNull(),
  state: text("state").notNull(),
  pools: text("pools").array().notNull(),
  maxCredits: credits("max_credits"),
  total: integer("total").notNull(),
  queued: integer("queued").notNull(),
  running: integer("running").notNull(),
  succeeded: integer("succeeded").notNull(),
  failed: integer("failed").notNull(),
  cancelled: integer("cancelled").notNull(),
  held: credits("held").notNull(),
  charged: credits("charged").notNull(),
  sequence: credits("sequence").notNull(),
  kept: credits("kept").notNull(),
  createdAt: moment("created_at").notNull(),
  beganAt: moment("began_at"),
  beganWith: integer("began_with").notNull(),
  endedAt: moment("ended_at"),
  fields: text("fields"),
  errorType: text("error_type"),
  errorMessage: text("error_message"),
  retries: text("retries").array().notNull(),
});

export const batchItems = pgTable(
  "batch_items",
  {
    batchId: credits("batch_id").notNull(),
    number: integer("number").notNull(),
    pool: text("pool").notNull(),
    operation: text("operation").notNull(),
    customId: text("custom_id").notNull(),
    input: text("input").notNull(),
    minimum: integer("minimum").notNull(),
    most: integer("most").notNull(),
    lastsMs: integer("lasts_ms").notNull(),
    attempt: integer("attempt").notNull(),
    owner: text("owner"),
    tries: integer("tries").notNull(),
    notBefore: moment("not_before"),
    crawl: jsonb("crawl"),
  },
  (table) => [primaryKey({ columns: [table.batchId, table.number] })],
);

export const batchResults = pgTable(
  "batch_results",
  {
    batchId: credits("batch_id").notNull(),
    sequence: credits("sequence").notNull(),
    customId: text("custom_id").notNull(),
    requestId: text("request_id").notNull(),
    status: integer("status").notNull(),
    credits: credits("credits").notNull(),
    records: integer("records").notNull(),
    truncated: boolean("truncated").notNull(),
    available: credits("available"),
    body: bytea("body").notNull(),
    parts: integer("parts").notNull(),
    item: jsonb("item"),
  },
  (table) => [primaryKey({ columns: [table.batchId, table.sequence] })],
);

export const batchParts = pgTable(
  "batch_parts",
  {
    batchId: credits("batch_id").notNull(),
    requestId: text("request_id").notNull(),
    part: integer("part").notNull(),
    bytes: bytea("bytes").notNull(),
  },
  (table) => [primaryKey({ columns: [table.batchId, table.requestId, table.part] })],
);

export const crawls = pgTable("crawls", {
  batchId: credits("batch_id").primaryKey(),
  url: text("url").notNull(),
  site: text("site").notNull(),
  rules: jsonb("rules").notNull(),
  page: jsonb("page").notNull(),
  file: jsonb("file").notNull(),
  pageLimit: integer("page_limit").notNull(),
  atOnce: integer("at_once").notNull(),
  delayMs: integer("delay_ms").notNull(),
  nextStart: moment("next_start"),
  nextUrl: credits("next_url").notNull(),
  nextItem: integer("next_item").notNull(),
  known: integer("known").notNull(),
  waiting: integer("waiting").notNull(),
  open: integer("open").notNull(),
  delivered: integer("delivered").notNull(),
  duplicates: integer("duplicates").notNull(),
  skipped: integer("skipped").notNull(),
  stoppedBy: text("stopped_by"),
});

export const crawlUrls = pgTable(
  "crawl_urls",
  {
    batchId: credits("batch_id").notNull(),
    hash: bytea("hash").notNull(),
    number: credits("number").notNull(),
    url: text("url").notNull(),
    kind: smallint("kind").notNull(),
    depth: integer("depth").notNull(),
    run: integer("run").notNull(),
    waiting: boolean("waiting").notNull(),
  },
  (table) => [primaryKey({ columns: [table.batchId, table.hash] })],
);

export const crawlPages = pgTable(
  "crawl_pages",
  {
    batchId: credits("batch_id").notNull(),
    hash: bytea("hash").notNull(),
    item: integer("item").notNull(),
  },
  (table) => [primaryKey({ columns: [table.batchId, table.hash] })],
);

export const robotsExemptions = pgTable("robots_exemptions", {
  accountId: credits("account_id").primaryKey(),
});
