import type { Sql } from "postgres";

/** One snippet of one source file, which must stand there exactly once, and what takes its place. */
export interface Edit {
  file: string;
  find: string;
  put: string;
}

/** Guards of the gateway that can be left out, so that their cases are seen to fail without them. */
export interface Guard {
  edits?: readonly Edit[];
  /** A snippet within the body of an SQL function. */
  functions?: readonly { name: string; find: string; put: string }[];
  /** Statements on the gateway's own database. */
  statements?: readonly string[];
}

const forgetsKeys = [
  { name: "reserve_calls", find: "if call.idempotency_key is not null then", put: "if false then" },
];
const slowly = (find: string, put: string) => ({
  name: "reserve_calls",
  find,
  put: `${put}\n perform pg_sleep(0.3);`,
});
const freeIsRead =
  "into free, watched from balances b\n        where b.account_id = owner and b.mode = owner_mode;";

export const guards = {
  /** The look-up and, behind it, ON CONFLICT: either alone still makes twins one call. */
  "claim by key": {
    edits: [
      { file: "db/calls.ts", find: "return replayOf(row, this.clock);", put: "return undefined;" },
    ],
    functions: forgetsKeys,
  },
  /** A retry takes the row of a call that still runs for nobody's. */
  "re-attachment to the running row": {
    edits: [
      {
        file: "db/calls.ts",
        find: "return replayOf(row, this.clock);",
        put: 'return row?.state === "final" ? replayOf(row, this.clock) : undefined;',
      },
    ],
    functions: [
      {
        name: "reserve_calls",
        find: "(earlier.state = 'final' or earlier.hold = 'open' and earlier.deadline + grace > moment)",
        put: "earlier.state = 'final'",
      },
    ],
  },
  /** A retry takes the job of the interrupted call for added, which it may never have been. */
  "job added again": {
    edits: [
      {
        file: "api/queue/run-job.ts",
        find: "if (again) return dispatcher.addAgain(jobId, pool, job, priority);",
        put: "if (again) return (dispatcher.waiters.added(jobId), Promise.resolve(0));",
      },
    ],
  },
  /** The state of the hold, and the keys of three tables behind it. */
  "one settle per hold": {
    functions: [{ name: "settle_calls", find: "and h.state = 'open' and", put: "and" }],
    statements: [
      "alter table settlements drop constraint settlements_pkey",
      "alter table settlements drop constraint settlements_available_check",
      "alter table ledger drop constraint ledger_pkey",
      "alter table usage drop constraint usage_pkey",
      // Rows are to be twofold, not slow to find: a settle that takes seconds charges nobody.
      "create index on settlements (hold_id)",
      "create index on ledger (transaction_id, side)",
      "create index on usage (request_id)",
      "alter table balances drop constraint balances_held_check",
    ],
  },
  /** Nothing is left out: a page may have half a second in all, which a busy machine gives it in time too. */
  "most of a page's processor time": {
    edits: [
      {
        file: "worker/browser/chromium/cpu-scheduler.ts",
        find: "processorMs: 20_000,",
        put: "processorMs: 500,",
      },
      {
        file: "worker/browser/chromium/cpu-scheduler.ts",
        find: "processors: 1,",
        put: "processors: 0,",
      },
    ],
  },
  /** Nothing is left out: as slow as the next one, to show that it is not the slowness that fails. */
  "only speed": { functions: [slowly(freeIsRead, freeIsRead)] },
  /** Without the lock two processes read the same balance; without the checks they may write it. */
  "row lock and checks": {
    functions: [
      {
        name: "reserve_calls",
        find: "order by b.account_id, b.mode\n    for update;",
        put: "order by b.account_id, b.mode;",
      },
      slowly(freeIsRead, freeIsRead),
    ],
    statements: [
      "alter table balances drop constraint balances_balance_check",
      "alter table balances drop constraint balances_held_check",
      "alter table settlements drop constraint settlements_available_check",
    ],
  },
  /** Every look for itself, also the last one at the deadline. */
  looking: {
    edits: [
      {
        file: "api/queue/waiters.ts",
        find: "if (this.#looking || this.#waiting.size === 0) return;",
        put: "return;",
      },
      {
        file: "api/queue/waiters.ts",
        find: 'if (stored) this.#finish([waiter], stored, "poll");',
        put: "if (false) {}",
      },
    ],
  },
  /** Nobody takes over what a lost worker had. */
  "stalled check": {
    edits: [
      {
        file: "worker/queue-options.ts",
        find: "maxStalledCount: 1,",
        put: "maxStalledCount: 1, skipStalledCheck: true,",
      },
    ],
  },
} satisfies Record<string, Guard>;

export type GuardName = keyof typeof guards;

export function guardNamed(name: string): Guard {
  const guard = (guards as Record<string, Guard>)[name];
  if (!guard) throw new Error(`there is no guard "${name}"`);
  return guard;
}

/** The text with its one snippet replaced; throws where the snippet is not there exactly once. */
export function without(text: string, find: string, put: string, where: string): string {
  const [before, after, ...more] = text.split(find);
  if (before === undefined || after === undefined || more.length > 0) {
    throw new Error(`${where} does not hold exactly once: ${find}`);
  }
  return before + put + after;
}

/** Leaves a guard's part in the database out. */
export async function weaken(sql: Sql<{ int8: number }>, name: GuardName): Promise<void> {
  const { functions = [], statements = [] } = guardNamed(name);
  for (const { name: routine, find, put } of functions) {
    const [row] = await sql<{ text: string }[]>`
      select pg_get_functiondef(oid) as text from pg_proc where proname = ${routine}`;
    if (!row) throw new Error(`there is no function ${routine}`);
    await sql.unsafe(without(row.text, find, put, routine));
  }
  for (const statement of statements) await sql.unsafe(statement);
}

/** A process writes this line for each of its edits. */
export const edited = (file: string): string => `edited ${file}`;
