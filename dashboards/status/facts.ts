import type { Canary } from "../../db/canaries.ts";
import type { HistoryPoint } from "../../db/capacity.ts";
import type { ControlRow } from "../../db/controls.ts";
import type { UseOfAccount, UseTotal, WaitingWebhooks } from "../../db/status.ts";
import type { PlannedWork } from "../../db/work-list.ts";
import type { CapacityAnswer } from "../capacity/answer.ts";
import type { PoolSettings } from "../capacity/decide.ts";
import type { Reading } from "../metrics.ts";
import type { HourOfCalls } from "./calls.ts";
import type { OpenDrift } from "../upstreams/drift.ts";
import type { Refusal } from "./recent.ts";
import type { Span } from "./traffic.ts";

/** Facts from the database. */
export interface StoredFacts {
  controls: ControlRow[];
  today: { totals: UseTotal[]; accounts: UseOfAccount[] };
  /** Most calls of the last hour; undefined where the database took too long. */
  busiest: UseOfAccount[] | undefined;
  cost: { dollars: number; requests: number };
  webhooks: WaitingWebhooks;
  planned: PlannedWork;
  /** The last daily call of each operation. */
  canaries: Canary[];
}

/** The facts behind the overview. */
export interface StatusFacts {
  /** Unix time in milliseconds, on the clock of Redis where it answers. */
  now: number;
  /** Undefined while Redis does not answer. */
  reading: Reading | undefined;
  hour: HourOfCalls | undefined;
  /** The time that the charts cover. */
  span: Span;
  /** Calls and waits of each pool over that time; undefined where the database does not tell. */
  history: HistoryPoint[] | undefined;
  /** The last computed capacity: waits against targets, and quotas of upstreams. */
  capacity: CapacityAnswer | undefined;
  /** Target of the wait and fewest workers, by pool. */
  settings: Readonly<Record<string, Pick<PoolSettings, "targetMs" | "floor">>>;
  refusals: Refusal[];
  /** Remaining calls that upstreams reported in the last minutes, by upstream. */
  reportedLeft: Readonly<Record<string, number>>;
  /** Upstreams whose answers have changed their shape. */
  changed: ReadonlyMap<string, OpenDrift>;
  /** `absent`: no database is configured; `away`: it does not answer. */
  stored: StoredFacts | "absent" | "away";
}
