import {
  boolean,
  date,
  doublePrecision,
  integer,
  jsonb,
  numeric,
  pgTable,
  primaryKey,
  text,
} from "./drizzle.ts";
import { type JobState, type Period, bytea, credits, mode, moment } from "./columns.ts";

export type { JobState, Mode, Period } from "./columns.ts";
export * from "./schema-batches.ts";
export * from "./schema-webhooks.ts";

/** The tables as `migrations/` creates them, without their constraints. */

export const accounts = pgTable("accounts", {
  id: credits("id").primaryKey().generatedAlwaysAsIdentity(),
  name: text("name").notNull().unique(),
  disabled: boolean("disabled").notNull().default(false),
  ratePerSecond: integer("rate_per_second").notNull().default(60),
  maxInFlight: integer("max_in_flight").notNull().default(20),
  createdAt: moment("created_at").notNull().defaultNow(),
});

export const balances = pgTable(
  "balances",
  {
    accountId: credits("account_id").notNull(),
    mode: mode(),
    balance: credits("balance").notNull().default(0),
    held: credits("held").notNull().default(0),
    alertBelow: credits("alert_below"),
    budgeted: boolean("budgeted").notNull().default(false),
  },
  (table) => [primaryKey({ columns: [table.accountId, table.mode] })],
);

export const apiKeys = pgTable("api_keys", {
  id: text("id").primaryKey(),
  accountId: credits("account_id").notNull(),
  mode: mode(),
  digest: bytea("digest").notNull(),
  createdAt: moment("created_at").notNull().defaultNow(),
  expiresAt: moment("expires_at"),
  revokedAt: moment("revoked_at"),
  lastUsedAt: moment("last_used_at"),
  budgetKey: text("budget_key"),
});

export const ledger = pgTable(
  "ledger",
  {
    transactionId: text("transaction_id").notNull(),
    side: text("side").$type<"account" | "revenue" | "grants">().notNull(),
    accountId: credits("account_id").notNull(),
    mode: mode(),
    amount: credits("amount").notNull(),
    reason: text("reason").notNull(),
    at: moment("at").notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.transactionId, table.side] })],
);

export const holds = pgTable("holds", {
  id: text("id").primaryKey(),
  accountId: credits("account_id").notNull(),
  mode: mode(),
  keyId: text("key_id"),
  operation: text("operation").notNull(),
  amount: credits("amount").notNull(),
  state: text("state").$type<"open" | "settled" | "void">().notNull().default("open"),
  deadline: moment("deadline").notNull(),
  idempotencyKey: text("idempotency_key"),
  createdAt: moment("created_at").notNull().defaultNow(),
  budgeted: boolean("budgeted").notNull().default(false),
});

export const budgets = pgTable(
  "budgets",
  {
    accountId: credits("account_id").notNull(),
    mode: mode(),
    keyId: text("key_id").notNull().default(""),
    period: text("period").$type<Period>().notNull(),
    credits: credits("credits").notNull(),
    alertPercent: integer("alert_percent").notNull().default(80),
    began: moment("began").notNull(),
    charged: credits("charged").notNull().default(0),
    held: credits("held").notNull().default(0),
    told: moment("told"),
  },
  (table) => [primaryKey({ columns: [table.accountId, table.mode, table.keyId, table.period] })],
);

export const budgetChanges = pgTable("budget_changes", {
  id: credits("id").primaryKey().generatedAlwaysAsIdentity(),
  at: moment("at").notNull().defaultNow(),
  who: text("who").notNull(),
  accountId: credits("account_id").notNull(),
  mode: mode(),
  keyId: text("key_id").notNull(),
  period: text("period").$type<Period>().notNull(),
  credits: credits("credits"),
  alertPercent: integer("alert_percent"),
});

export const settlements = pgTable("settlements", {
  holdId: text("hold_id").primaryKey(),
  credits: credits("credits").notNull(),
  records: integer("records").notNull(),
  truncated: boolean("truncated").notNull(),
  available: credits("available").notNull(),
  status: integer("status").notNull(),
  at: moment("at").notNull().defaultNow(),
});

export const replays = pgTable(
  "replays",
  {
    accountId: credits("account_id").notNull(),
    mode: mode(),
    key: text("key").notNull(),
    fingerprint: text("fingerprint").notNull(),
    requestId: text("request_id").notNull(),
    state: text("state").$type<"running" | "final">().notNull().default("running"),
    contentType: text("content_type"),
    body: bytea("body"),
    bodyApart: boolean("body_apart").notNull().default(false),
    createdAt: moment("created_at").notNull().defaultNow(),
    joined: boolean("joined").notNull().default(false),
  },
  (table) => [primaryKey({ columns: [table.accountId, table.mode, table.key] })],
);

export const bodies = pgTable("bodies", {
  requestId: text("request_id").primaryKey(),
  body: bytea("body").notNull(),
  createdAt: moment("created_at").notNull().defaultNow(),
  accountId: credits("account_id"),
  mode: text("mode"),
});

/** Bytes of an account's stored answers; changes still in `keptChanges` are not included. */
export const keptBytes = pgTable(
  "kept_bytes",
  {
    accountId: credits("account_id").notNull(),
    mode: mode(),
    bytes: credits("bytes").notNull(),
  },
  (table) => [primaryKey({ columns: [table.accountId, table.mode] })],
);

export const keptChanges = pgTable("kept_changes", {
  id: credits("id").primaryKey().generatedAlwaysAsIdentity(),
  accountId: credits("account_id").notNull(),
  mode: mode(),
  bytes: credits("bytes").notNull(),
});

/** Leases of the processes that carry out jobs and items of batches. */
export const jobOwners = pgTable("job_owners", {
  id: text("id").primaryKey(),
  until: moment("until").notNull(),
});

export const jobs = pgTable("jobs", {
  requestId: text("request_id").primaryKey(),
  accountId: credits("account_id").notNull(),
  mode: mode(),
  keyId: text("key_id").notNull(),
  operation: text("operation").notNull(),
  version: text("version").notNull(),
  idempotencyKey: text("idempotency_key").notNull(),
  call: text("call"),
  /** Always null, like `item`; README.md says when both are dropped. */
  batchId: text("batch_id"),
  item: integer("item"),
  state: text("state").$type<JobState>().notNull().default("queued"),
  createdAt: moment("created_at").notNull(),
  startedAt: moment("started_at"),
  endedAt: moment("ended_at"),
  status: integer("status"),
  retryAfter: integer("retry_after"),
  errorType: text("error_type"),
  errorMessage: text("error_message"),
  error: text("error"),
  owner: text("owner"),
  fields: text("fields"),
  confirmed: boolean("confirmed").notNull().default(false),
});

export const usage = pgTable("usage", {
  requestId: text("request_id").primaryKey(),
  accountId: credits("account_id").notNull(),
  mode: mode(),
  keyId: text("key_id"),
  operation: text("operation").notNull(),
  status: integer("status").notNull(),
  errorType: text("error_type"),
  credits: credits("credits").notNull(),
  records: integer("records").notNull(),
  durationMs: integer("duration_ms").notNull(),
  at: moment("at").notNull().defaultNow(),
});

/** Sums of `usage`; days before `usageSums.wholeFrom` are not complete. */
export const usageDays = pgTable(
  "usage_days",
  {
    accountId: credits("account_id").notNull(),
    mode: mode(),
    day: date("day").notNull(),
    operation: text("operation").notNull(),
    calls: credits("calls").notNull(),
    errors: credits("errors").notNull(),
    credits: credits("credits").notNull(),
    records: credits("records").notNull(),
  },
  (table) => [primaryKey({ columns: [table.accountId, table.mode, table.day, table.operation] })],
);

export const usageSums = pgTable("usage_sums", {
  one: boolean("one").primaryKey().default(true),
  wholeFrom: date("whole_from").notNull(),
});

/** Call logs: the timelines of requests, for operators, for a week. */
export const stories = pgTable("stories", {
  id: credits("id").primaryKey().generatedAlwaysAsIdentity(),
  requestId: text("request_id").notNull(),
  callId: text("call_id").notNull(),
  accountId: credits("account_id").notNull(),
  at: moment("at").notNull(),
  story: jsonb("story").notNull(),
});

/** One row per minute and pool, for a week. */
export const capacityHistory = pgTable(
  "capacity_history",
  {
    at: moment("at").notNull(),
    pool: text("pool").notNull(),
    workers: integer("workers").notNull(),
    desired: integer("desired").notNull(),
    slots: integer("slots").notNull(),
    callsPerSecond: doublePrecision("calls_per_second").notNull(),
    p95WaitMs: doublePrecision("p95_wait_ms"),
    targetMs: integer("target_ms").notNull(),
    wall: text("wall").notNull(),
    failed: integer("failed"),
    failedLive: integer("failed_live"),
  },
  (table) => [primaryKey({ columns: [table.pool, table.at] })],
);

/** Calls to upstreams and their cost, by calendar day in UTC. */
export const upstreamDays = pgTable(
  "upstream_days",
  {
    day: date("day").notNull(),
    upstream: text("upstream").notNull(),
    operation: text("operation").notNull(),
    calls: credits("calls").notNull(),
    dollars: numeric("dollars").notNull(),
  },
  (table) => [primaryKey({ columns: [table.day, table.upstream, table.operation] })],
);

/** The totals in Redis when their increase was last added to a day. */
export const upstreamTotals = pgTable(
  "upstream_totals",
  {
    upstream: text("upstream").notNull(),
    operation: text("operation").notNull(),
    toldAt: moment("told_at").notNull(),
    calls: credits("calls").notNull(),
    dollars: numeric("dollars").notNull(),
  },
  (table) => [primaryKey({ columns: [table.upstream, table.operation] })],
);

/** Decisions of operators; append-only, so the table is its own audit log. */
export const controls = pgTable("controls", {
  id: credits("id").primaryKey().generatedAlwaysAsIdentity(),
  at: moment("at").notNull(),
  who: text("who").notNull(),
  why: text("why").notNull(),
  kind: text("kind").notNull(),
  target: text("target").notNull(),
  effect: text("effect").notNull(),
  perMinute: integer("per_minute"),
  until: moment("until"),
});

export const changes = pgTable("changes", {
  id: credits("id").primaryKey().generatedAlwaysAsIdentity(),
  at: moment("at").notNull(),
  who: text("who").notNull(),
  via: text("via").notNull(),
  why: text("why").notNull(),
  kind: text("kind").notNull(),
  target: text("target").notNull(),
  accountId: credits("account_id"),
  before: jsonb("before"),
  after: jsonb("after"),
});

export const ownWrites = pgTable(
  "own_writes",
  {
    accountId: credits("account_id").notNull(),
    mode: mode(),
    key: text("key").notNull(),
    fingerprint: text("fingerprint").notNull(),
    requestId: text("request_id").notNull(),
    subject: text("subject").notNull(),
    secret: bytea("secret"),
    answered: boolean("answered").notNull().default(false),
    createdAt: moment("created_at").notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.accountId, table.mode, table.key] })],
);

export const accountCredentials = pgTable("account_credentials", {
  id: credits("id").primaryKey(),
  accountId: credits("account_id").notNull(),
  names: text("names").notNull(),
  sealed: bytea("sealed").notNull(),
  perSecond: doublePrecision("per_second"),
  pricePercent: integer("price_percent").notNull().default(100),
  changedAt: moment("changed_at").notNull().defaultNow(),
});

export const verifications = pgTable("verifications", {
  operation: text("operation").primaryKey(),
  at: moment("at").notNull(),
  verdict: text("verdict").notNull(),
  cause: text("cause"),
  workedAt: moment("worked_at"),
});

/** Results of the daily calls of `gateway verify --daily`. */
export const canaries = pgTable(
  "canaries",
  {
    day: date("day").notNull(),
    operation: text("operation").notNull(),
    at: moment("at").notNull(),
    upstreams: jsonb("upstreams").notNull(),
    routes: jsonb("routes").notNull(),
    verdict: text("verdict").notNull(),
    fault: text("fault"),
    cause: text("cause"),
    paths: jsonb("paths").notNull(),
    ms: integer("ms"),
    dollars: doublePrecision("dollars").notNull(),
    callId: text("call_id"),
  },
  (table) => [primaryKey({ columns: [table.day, table.operation] })],
);
