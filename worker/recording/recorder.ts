import { randomBytes } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { operations } from "../../contract/index.ts";
import type { JobData } from "../../runtime/queue.ts";
import type { Call } from "../connector.ts";
import { parseJson } from "../mapping/json.ts";
import type { Heard } from "../transport/heard.ts";
import { Substitute } from "./substitute.ts";
import { vocabularyOf } from "./vocabulary.ts";

/** Calls that one worker records, so that a forgotten setting fills no disk. */
const mostCalls = 1000;

/** An answer to be written. */
export interface Recorded {
  body: Buffer;
}

/** Substitutes for personal values, the same everywhere in a process. */
export class Substitutes {
  /** Of this process alone, so that nobody can try which value has a substitute. */
  readonly #secret = randomBytes(32).toString("hex");
  readonly #byArea = new Map<string, Substitute>();

  of(operation: string): Substitute {
    const area = operations.get(operation)?.area ?? "";
    const known = this.#byArea.get(area);
    if (known) return known;
    const made = new Substitute(this.#secret, vocabularyOf(area));
    this.#byArea.set(area, made);
    return made;
  }
}

/** Writes the answers of calls into a folder, with personal values replaced consistently. */
export class Recorder {
  readonly #dir: string;
  readonly #log: Call["log"];
  readonly #substitutes = new Substitutes();
  #calls = 0;

  constructor(dir: string, log: Call["log"]) {
    this.#dir = dir;
    this.#log = log;
  }

  async record(requestId: string, job: JobData, heard: readonly Heard[]): Promise<void> {
    if (heard.length === 0 || this.#calls >= mostCalls) return;
    this.#calls += 1;
    try {
      await this.write(
        requestId,
        job,
        heard.map(({ incoming }) => ({ body: incoming.bytes })),
      );
    } catch (error) {
      this.#log("warn", "answers could not be recorded", { error });
    }
  }

  /** Writes `<operation>/<request id>/1.json` and so on, and the input where it is still valid. Returns the folder. */
  async write(
    requestId: string,
    { operation, input }: Pick<JobData, "operation" | "input">,
    answers: readonly Recorded[],
  ): Promise<string> {
    const folder = join(this.#dir, operation, requestId);
    await mkdir(folder, { recursive: true });
    const substitute = this.#substitutes.of(operation);
    const save = (name: string, text: string) =>
      writeFile(join(folder, name), text, { mode: 0o600 });
    for (const [index, { body }] of answers.entries()) {
      const text = body.toString();
      const parsed = parseJson(text);
      if (parsed === undefined) await save(`${index + 1}.txt`, substitute.text(text));
      else await save(`${index + 1}.json`, JSON.stringify(substitute.value(parsed), null, 2));
    }
    const replaced = substitute.value(input);
    if (operations.get(operation)?.input.safeParse(replaced).success)
      await save("input.json", JSON.stringify(replaced, null, 2));
    return folder;
  }
}
