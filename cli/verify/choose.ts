import { areas, operations } from "../../contract/index.ts";
import type { Operation } from "../../contract/operation.ts";
import { nearOperations } from "../../contract/search-operations.ts";
import { CliProblem } from "../problem.ts";

/** The operations that names of areas and operations choose; all of them without names. */
export function chosenOperations(names: readonly string[]): Operation[] {
  if (names.length === 0) return [...operations.values()];
  const found = names.flatMap((name) => {
    const area = areas.find((one) => one.name === name);
    const op = operations.get(name);
    if (area) return area.operations;
    if (op) return [op];
    const near = nearOperations(name);
    const perhaps = near.length > 0 ? `; perhaps ${near.join(", ")}` : "";
    throw new CliProblem("usage", `There is no area or operation ${name}${perhaps}`);
  });
  return [...new Set(found)];
}
