import { globSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { operations } from "../../contract/index.ts";
import { type Operation, mostRecords } from "../../contract/operation.ts";
import {
  entryOf,
  failedIndexKey,
  failedKey,
  goodIndexKey,
  goodKey,
  type KeptAnswer,
  type KeptCall,
  keptLifeMs,
  openCall,
} from "../../runtime/kept-answers.ts";
import { type Elsewhere, replayAsThen } from "../../worker/failures/replay.ts";
import { type RawMapped, runWith, storedAnswers } from "../../worker/stored-answers.ts";
import { CliProblem } from "../problem.ts";
import { withRedis } from "../redis.ts";

/** Raw answers that two versions of the code map: those that workers keep, or a folder of recorded ones. */

export interface Answered {
  /** Request id, or the folder's name. */
  id: string;
  operation: string;
  map(op: Operation): Promise<RawMapped>;
}

const silent = () => undefined;

/** The sealed calls that workers keep, good and failed ones: 48 MiB at most. */
async function sealedCalls() {
  const since = String(Date.now() - keptLifeMs);
  return withRedis(async (redis) => {
    const found: { requestId: string; sealed: Buffer }[] = [];
    for (const [indexKey, keyOf] of [
      [goodIndexKey, goodKey],
      [failedIndexKey, failedKey],
    ] as const) {
      const members = await redis.zrange(indexKey, "+inf", since, "BYSCORE", "REV");
      for (const { requestId } of members.map(entryOf)) {
        const sealed = await redis.getBuffer(keyOf(requestId));
        if (sealed) found.push({ requestId, sealed });
      }
    }
    return found;
  });
}

type Sealed = Awaited<ReturnType<typeof sealedCalls>>[number];

function opened(key: string, { requestId, sealed }: Sealed): KeptCall {
  const call = openCall(key, requestId, sealed);
  if (call) return call;
  throw new CliProblem(
    "setup",
    "FAILED_ANSWERS_KEY is not the key of the worker that kept the answers.",
  );
}

/** Looks through all calls for the answer to a request, once for each request. */
function answersOf(key: string, all: readonly Sealed[]): Elsewhere {
  const known = new Map<string, KeptAnswer | undefined>();
  return (upstream, question) => {
    const id = `${upstream} ${question}`;
    if (known.has(id)) return known.get(id);
    let found: KeptAnswer | undefined;
    for (const one of all) {
      const isSame = (answer: KeptAnswer) =>
        answer.upstream === upstream && answer.question === question;
      found = opened(key, one).answers.find(isSame);
      if (found) break;
    }
    known.set(id, found);
    return found;
  };
}

/** The calls that workers keep; only those of `ids` where it is given. */
export async function* keptCalls(key: string, ids?: ReadonlySet<string>): AsyncGenerator<Answered> {
  const all = await sealedCalls();
  const elsewhere = answersOf(key, all);
  for (const one of all) {
    if (ids && !ids.has(one.requestId)) continue;
    const call = opened(key, one);
    const { requestId: id, operation } = call;
    yield { id, operation, map: (op) => replayAsThen(op, call, silent, elsewhere) };
  }
}

/** The calls in a folder of recorded answers: `<operation>/<call>/1.json` and so on, with `input.json`. */
export async function* recordedCalls(dir: string): AsyncGenerator<Answered> {
  for (const folder of globSync("*/*/", { cwd: dir }).toSorted()) {
    const [operation = ""] = folder.split("/");
    const names = globSync("*.{json,txt}", { cwd: join(dir, folder) })
      .filter((name) => /^\d+\./.test(name))
      .toSorted((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10));
    const [first] = names;
    if (first === undefined) continue;
    const { mtimeMs } = await stat(join(dir, folder, first));
    const read = (name: string) => readFile(join(dir, folder, name), "utf8");
    yield {
      id: `${operation}/${basename(folder)}`,
      operation,
      async map(op) {
        const texts = await Promise.all(names.map(read));
        const text = await read("input.json").catch(() => undefined);
        const given: unknown = text === undefined ? op.example : JSON.parse(text);
        const input = op.input.parse(given);
        const maxRecords = mostRecords(op, input);
        const at = Math.floor(mtimeMs);
        const asked = { input, cursor: undefined, maxRecords, at };
        return runWith(op, asked, storedAnswers(texts, undefined), silent);
      },
    };
  }
}

/** Undefined for an operation that this version does not have. */
export const operationOf = ({ operation }: Answered): Operation | undefined =>
  operations.get(operation);
