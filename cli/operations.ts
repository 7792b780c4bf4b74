import type { Command } from "commander";
import { evidenceHere, recordingsOf } from "../contract/evidence.ts";
import { readVerifications } from "../db/verifications.ts";
import { type Print, table } from "./output.ts";
import { withDatabase } from "./system.ts";
import { chosenOperations } from "./verify/choose.ts";

/** `gateway operations`: how sure each operation is. */
export function addOperations(program: Command, print: Print): void {
  program
    .command("operations [names...]")
    .description(
      "Lists operations (of areas, or by id) with their evidence: the day on which each last worked for verify, the recorded answers on which its mapping was tried, or documents only.",
    )
    .option("--json", "print one JSON document instead of a table")
    .action(async (names: string[]) => {
      const chosen = chosenOperations(names);
      const rows = await withDatabase((db) => readVerifications(db));
      const known = new Map(rows.map((row) => [row.operation, row]));
      const entries = chosen.map((op) => {
        const row = known.get(op.id);
        return {
          operation: op.id,
          evidence: evidenceHere(op, row?.workedAt),
          verified_at: row?.workedAt ?? null,
          recorded_answers: recordingsOf(op).length,
          last_verify: row ? { at: row.at, verdict: row.verdict, cause: row.cause } : null,
        };
      });
      const lines = entries.map(({ operation, evidence, last_verify: last }) => [
        operation,
        evidence,
        last === null ? "" : `${last.verdict}${last.cause === null ? "" : `: ${last.cause}`}`,
      ]);
      print({ json: entries, text: table(["operation", "evidence", "last verify"], lines) });
    });
}
