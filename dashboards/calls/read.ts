import type { Redis } from "ioredis";
import type { CallLogEntry } from "../../runtime/call-log.ts";
import { accountNamed } from "../../db/accounts.ts";
import { accountNames, listCalls, nearAccounts, ownerOfKey } from "../../db/call-list.ts";
import type { Database } from "../../db/client.ts";
import { type Filter, mostHours } from "./filter.ts";
import { type RefusedCall, refusedCalls } from "./refused.ts";

export const pageSize = 50;
const hourMs = 3_600_000;

export interface Row {
  id: string;
  /** Unix time in milliseconds: end of a call, arrival of a refused request. */
  at: number;
  account: string;
  mode: string;
  key: string;
  operation: string;
  status: number;
  errorType: string | undefined;
  ms: number;
  credits: number;
  /** Refused before it had a job. */
  refused: boolean;
}

export interface CallPage {
  rows: Row[];
  /** Position of the next page; undefined on the last one. */
  next: { value: number; id: string } | undefined;
  from: number;
  to: number;
}

const timeOf = ({ stages }: CallLogEntry) =>
  Object.values(stages).reduce((sum, spent) => sum + spent, 0);

function matcher(filter: Filter, accountId: number | undefined) {
  const { key, operations, status, type, mode } = filter;
  const chosen = operations && new Set(operations);
  return (entry: CallLogEntry): boolean =>
    (accountId === undefined || entry.account === accountId) &&
    (key === undefined || entry.key === key) &&
    (mode === undefined || entry.mode === mode) &&
    (chosen === undefined || chosen.has(entry.operation ?? "")) &&
    (status === undefined || (entry.status >= status[0] && entry.status <= status[1])) &&
    (type === undefined || entry.error?.type === type);
}

async function rowsOf(db: Database, calls: readonly RefusedCall[]): Promise<Row[]> {
  const ids = calls.flatMap(({ entry: { account } }) => (account === undefined ? [] : [account]));
  const names = await accountNames(db, [...new Set(ids)]);
  return calls.map(({ id, at, entry }) => ({
    id,
    at,
    account: names.get(entry.account ?? 0) ?? "",
    mode: entry.mode ?? "",
    key: entry.key ?? "",
    operation: entry.operation ?? "",
    status: entry.status,
    errorType: entry.error?.type,
    ms: timeOf(entry),
    credits: 0,
    refused: true,
  }));
}

/** The account, key and mode that the filter names; an objection for an unknown account or key, with near names. */
async function ownerOf(
  db: Database,
  { account, key, mode }: Filter,
): Promise<{ accountId?: number | undefined; mode?: Filter["mode"] } | { objection: string }> {
  const named = account === undefined ? undefined : await accountNamed(db, account);
  if (account !== undefined && !named) {
    const near = await nearAccounts(db, account);
    const offer = near.length > 0 ? ` Near names: ${near.join(", ")}.` : "";
    return { objection: `There is no account ${account}.${offer}` };
  }
  const owner = key === undefined ? undefined : await ownerOfKey(db, key);
  if (key !== undefined && !owner) return { objection: `There is no key ${key}.` };
  // With its account and mode, the calls of a key are found by index.
  return { accountId: named?.id ?? owner?.accountId, mode: mode ?? owner?.mode };
}

/** A page of calls and, where the newest come first, of refused requests among them. */
export async function readCalls(
  stores: { db: Database; redis: Redis },
  filter: Filter,
  now: number,
): Promise<CallPage | { objection: string }> {
  const { db, redis } = stores;
  const owner = await ownerOf(db, filter);
  if ("objection" in owner) return owner;
  const { operations, status, type, key, slowest, after } = filter;
  // A call may end while the page is read, and clocks differ.
  const to = filter.until ?? now + 60_000;
  const from = Math.max((filter.until ?? now) - filter.hours * hourMs, now - mostHours * hourMs);
  const limit = pageSize + 1;
  const before = slowest ? to : Math.min(to, after?.value ?? to);
  const [ran, refused] = await Promise.all([
    listCalls(db, {
      ...owner,
      from,
      to,
      key,
      operations,
      status,
      errorType: type,
      slowest,
      after,
      limit,
    }),
    slowest
      ? { calls: [], completeFrom: from }
      : // A later page may begin with another request of the same millisecond.
        refusedCalls(redis, { from, to: before + 1, now, limit }, matcher(filter, owner.accountId)),
  ]);
  const ranRows = ran.map((row): Row => ({
    ...row,
    key: row.key ?? "",
    errorType: row.errorType ?? undefined,
    ms: row.durationMs,
    refused: false,
  }));
  const refusedRows = await rowsOf(
    db,
    refused.calls.filter((one) => isAfter(one, after)),
  );
  return { ...pageOf([...ranRows, ...refusedRows], slowest, refused.completeFrom, from), from, to };
}

const isAfter = ({ at, id }: RefusedCall, after: Filter["after"]) =>
  after === undefined || at < after.value || (at === after.value && id < after.id);

function pageOf(
  rows: readonly Row[],
  slowest: boolean,
  completeFrom: number,
  from: number,
): Pick<CallPage, "rows" | "next"> {
  const value = (row: Row) => (slowest ? row.ms : row.at);
  const known = rows
    .filter(({ at }) => slowest || at >= completeFrom)
    .toSorted((a, b) => value(b) - value(a) || (a.id < b.id ? 1 : -1));
  const shown = known.slice(0, pageSize);
  const last = shown.at(-1);
  if (known.length > pageSize && last)
    return { rows: shown, next: { value: value(last), id: last.id } };
  // The search for refusals ended early: the next page goes on where it ended.
  return { rows: shown, next: completeFrom > from ? { value: completeFrom, id: "" } : undefined };
}
