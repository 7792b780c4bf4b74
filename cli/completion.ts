import type { Command } from "commander";
import { fieldsOf } from "../api/describe.ts";
import { crawlOperations } from "../contract/crawl-operations.ts";
import { operations } from "../contract/index.ts";
import type { Print } from "./output.ts";

/** The function that bash runs to complete `gateway call`. */
const bash = `_gateway() {
  local line="\${COMP_LINE:0:$COMP_POINT}"
  mapfile -t COMPREPLY < <(gateway complete "$line" 2>/dev/null)
}
complete -o default -F _gateway gateway
`;

/** `gateway completion` prints the script for a shell's start file; the script calls `gateway complete`. */
export function addCompletion(program: Command, print: Print): void {
  program
    .command("completion")
    .description(
      "Prints the bash completion of operations and their fields: source <(gateway completion)",
    )
    .action(() => print({ json: { bash }, text: bash }));
  program
    .command("complete <line>", { hidden: true })
    .action((line: string) =>
      print({ json: completions(line), text: completions(line).join("\n") }),
    );
}

/** The words that can complete a line that begins with `gateway`. */
function completions(line: string): string[] {
  const words = line.trimStart().split(/\s+/).slice(1);
  const last = words.at(-1) ?? "";
  if (words.length <= 1) return ["call"].filter((word) => word.startsWith(last));
  if (words[0] !== "call") return [];
  if (words.length === 2)
    return [...operations.keys(), ...crawlOperations.keys()]
      .filter((id) => id.startsWith(last))
      .toSorted();
  const op = operations.get(words[1] ?? "") ?? crawlOperations.get(words[1] ?? "");
  if (!op) return [];
  const before = words.at(-2) ?? "";
  const fields = fieldsOf(op);
  const choices = fields.find(({ name }) => `--${name}` === before)?.type ?? "";
  if (choices.startsWith('"')) {
    return choices
      .split(" | ")
      .map((choice) => JSON.parse(choice) as string)
      .filter((choice) => choice.startsWith(last));
  }
  if (!last.startsWith("-")) return [];
  const given = new Set(words.slice(2, -1));
  return [...fields.map(({ name }) => `--${name}`), "--all", "--most", "--format", "--url"].filter(
    (name) => name.startsWith(last) && !given.has(name),
  );
}
