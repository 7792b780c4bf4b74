import { existsSync, readFileSync } from "node:fs";
import type { Operation } from "../../contract/operation.ts";

/** The example answer of an operation: sample data, shortened. */
export interface Shown {
  data: unknown;
  records: number;
  has_more: boolean;
}

const read = new Map<string, Record<string, Shown>>();

/** The example answer of an operation, from contract/areas/<area>/answers.json, which is read once. */
export function shownAnswer({ area, id }: Operation): Shown | undefined {
  const answers = read.get(area) ?? answersOf(area);
  read.set(area, answers);
  return answers[id];
}

function answersOf(area: string): Record<string, Shown> {
  const file = new URL(`../../contract/areas/${area}/answers.json`, import.meta.url);
  // Areas of benchmarks and tests have none.
  if (!existsSync(file)) return {};
  return JSON.parse(readFileSync(file, "utf8")) as Record<string, Shown>;
}

/** The whole envelope around an example answer. */
export function shownEnvelope(op: Operation, { data, records, has_more }: Shown): object {
  const isPaged = op.paginated || op.onePage;
  return {
    request_id: "svc_0123456789abcdef0123456789abcdef",
    data,
    ...(isPaged
      ? { pagination: { has_more, next_cursor: has_more ? "eyJ2IjoxfQ.c2FtcGxl" : null } }
      : {}),
    billing: {
      credits_charged: Math.max(op.minimum, records),
      records_charged: records,
      balance_remaining: 9990,
      truncated_due_to_balance: false,
    },
  };
}
