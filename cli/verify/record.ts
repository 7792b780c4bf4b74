import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { operations } from "../../contract/index.ts";
import type { KeepRecorded } from "./call.ts";

/**
 * Writes `<operation>/<page>/1.json` and so on into a folder, and the input where it is still valid. The workers
 * have replaced personal values before they sent the answers.
 */
export function recorderIn(dir: string): KeepRecorded {
  return async (operation, page, { answers, input }) => {
    if (answers.length === 0) return;
    const folder = join(dir, operation, page);
    await mkdir(folder, { recursive: true });
    const save = (name: string, text: string) =>
      writeFile(join(folder, name), text, { mode: 0o600 });
    for (const [index, text] of answers.entries()) await save(`${index + 1}.json`, text);
    if (operations.get(operation)?.input.safeParse(input).success)
      await save("input.json", JSON.stringify(input, null, 2));
  };
}
