import { createHash } from "node:crypto";
import * as fs from "node:fs";
import { dirname, join } from "node:path";
import { dataDir } from "../../../local/data-folder.ts";
import { root } from "../../imports.ts";

/** The results of combinations, a line each in a file of the data folder: an interrupted run goes on from there. */

/** One run of a combination. */
export interface Entry {
  name: string;
  /** Whether its round trip occurred. */
  isReached: boolean;
  ms: number;
  /** Which answer was untrue, or which state had no end. */
  finding?: string;
  /** A finding beside other lanes that did not come again alone. */
  once?: string;
}

/** Sources whose change makes earlier results those of another version. */
const sources = ["{api,contract,db,runtime,worker}/**/*.{ts,sql}", "test/faults/fates/*.{ts,json}"];

function hashOfSources(): string {
  const hash = createHash("sha256");
  for (const path of sources.flatMap((pattern) => fs.globSync(pattern, { cwd: root })).sort())
    hash.update(`${path}\n`).update(fs.readFileSync(join(root, path)));
  return hash.digest("hex").slice(0, 12);
}

/** `FATES_JOURNAL`, which earlier versions may have written, or else the file of this version's sources. */
export const journalFile = (): string =>
  process.env["FATES_JOURNAL"] ?? join(dataDir(), "fates", `${hashOfSources()}.jsonl`);

export class Journal {
  readonly file: string;
  readonly #entries = new Map<string, Entry>();

  constructor(file: string) {
    this.file = file;
    fs.mkdirSync(dirname(file), { recursive: true });
    if (!fs.existsSync(file)) return;
    for (const line of fs.readFileSync(file, "utf8").split("\n")) {
      try {
        const entry = JSON.parse(line) as Entry;
        this.#entries.set(entry.name, entry);
      } catch {
        // The end of the file, or a line that an interrupted run has not finished.
      }
    }
  }

  /** Results of earlier runs; combinations with a finding run again. */
  done(): Entry[] {
    return [...this.#entries.values()].filter(({ finding }) => finding === undefined);
  }

  add(entry: Entry): void {
    this.#entries.set(entry.name, entry);
    fs.appendFileSync(this.file, `${JSON.stringify(entry)}\n`);
  }

  /** All combinations have run: the next run begins again. */
  finish(): void {
    fs.renameSync(this.file, `${this.file}.finished`);
  }
}
