import { faultsOfFields } from "../../contract/choose.ts";
import { GatewayError, type Issue, maxIssues } from "../../contract/errors.ts";
import type { Operation } from "../../contract/operation.ts";

/** `fields` of a batch: which members of a record the lines of its results have. */

/** Throws where a name is none of some operation's in the batch. */
export function chosenForAll(
  asked: string | undefined,
  operations: Iterable<Operation>,
  place: Pick<Issue, "in" | "path">,
): readonly string[] | undefined {
  if (asked === undefined) return undefined;
  const fields = asked.split(",").map((name) => name.trim());
  const issues: Issue[] = [];
  for (const op of operations) {
    for (const fault of faultsOfFields(op, fields))
      issues.push({ ...place, code: "unknown_member", message: `${fault} (${op.id})` });
    if (issues.length >= maxIssues) break;
  }
  const [first] = issues;
  if (first)
    throw new GatewayError("validation_error", `${place.path}: ${first.message}`, {
      issues: issues.slice(0, maxIssues),
    });
  return fields;
}
