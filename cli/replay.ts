import type { Command } from "commander";
import { operations } from "../contract/index.ts";
import { noteChange } from "../db/changes.ts";
import {
  entryOf,
  type KeptCall,
  failedIndexKey,
  failedKey,
  keptLifeMs,
  keyFromPepper,
  openCall,
} from "../runtime/kept-answers.ts";
import { settingOf } from "../runtime/settings.ts";
import { replay } from "../worker/failures/replay.ts";
import { Recorder } from "../worker/recording/recorder.ts";
import type { Mapped } from "../worker/stored-answers.ts";
import { addCommand } from "./arguments.ts";
import { fields, moment, type Output, type Print, table } from "./output.ts";
import { CliProblem } from "./problem.ts";
import { withRedis } from "./redis.ts";
import { actor, findSystem, withDatabase } from "./system.ts";

/** `gateway replay`: maps the kept answers of a failed call with this version's code. Sends nothing. */
export function addReplay(program: Command, print: Print): void {
  addCommand(program, "replay [id]", "map the answers behind a failed call again, without spending")
    .addHelpText("after", "\nWithout an id it lists the calls whose answers are kept.")
    .option("--record <folder>", "write the answers there, with personal values replaced")
    .action(async (id: string | undefined, { record }: { record?: string }) => {
      if (id === undefined) return print(await listed());
      const call = await keptCall(id);
      // Whoever maps a kept answer reads it.
      const note = {
        kind: "replay",
        target: id,
        after: { recorded: record !== undefined },
      } as const;
      await withDatabase((db) => noteChange(db, actor(), note));
      if (record === undefined) return print(await replayed(call));
      const answers = call.answers.map(({ body = "" }) => ({ body: Buffer.from(body, "base64") }));
      const folder = await new Recorder(record, () => undefined).write(id, call, answers);
      print({ json: { request_id: id, folder }, text: `The answers are in ${folder}.` });
    });
}

async function listed(): Promise<Output> {
  const since = Date.now() - keptLifeMs;
  const members = await withRedis((redis) =>
    redis.zrange(failedIndexKey, "+inf", String(since), "BYSCORE", "REV", "WITHSCORES"),
  );
  const calls = members.flatMap((member, index) => {
    if (index % 2 > 0) return [];
    const { operation, requestId } = entryOf(member);
    return [{ request_id: requestId, operation, at: new Date(Number(members[index + 1])) }];
  });
  if (calls.length === 0) return { json: { calls }, text: "No answers of failed calls are kept." };
  const rows = calls.map(({ request_id: id, operation, at }) => [id, operation, moment(at)]);
  return { json: { calls }, text: table(["request", "operation", "failed"], rows) };
}

async function replayed(call: KeptCall): Promise<Output> {
  const op = operations.get(call.operation);
  if (!op) throw new CliProblem("usage", `There is no operation ${call.operation} any more.`);
  const mapped = await replay(op, call, () => undefined);
  const before = {
    operation: call.operation,
    failed: moment(new Date(call.at)),
    version: call.version,
    "failed with": call.outcome,
    "kept answers": call.answers.length,
  };
  const json = { request_id: call.requestId, before, ...mapped };
  const text = `${fields(before)}\n\n${verdictOn(mapped)}`;
  return { json, text, failed: "error" in mapped };
}

function verdictOn(mapped: Mapped): string {
  if ("error" in mapped) {
    const { type, message, field } = mapped.error;
    const place = field === undefined ? "" : ` The field is ${field}.`;
    return `It still fails: ${type}: ${message}.${place}`;
  }
  const dropped = mapped.dropped?.map(({ field, count }) => `${count} rows lack ${field}`) ?? [];
  return [`It is mapped:`, ...dropped, JSON.stringify(mapped.data, null, 2)].join("\n");
}

async function keptCall(id: string): Promise<KeptCall> {
  const { keyPepper } = findSystem();
  const key =
    settingOf(process.env, "FAILED_ANSWERS_KEY") ??
    (keyPepper === undefined ? undefined : keyFromPepper(keyPepper));
  if (key === undefined) throw new CliProblem("setup", "FAILED_ANSWERS_KEY is not set.");
  const sealed = await withRedis((redis) => redis.getBuffer(failedKey(id)));
  if (!sealed) {
    throw new CliProblem(
      "request_unknown",
      `No answers of ${id} are kept: they are for 48 hours, of the last calls of an operation whose mapping failed.`,
    );
  }
  const call = openCall(key, id, sealed);
  if (call) return call;
  throw new CliProblem("setup", "FAILED_ANSWERS_KEY is not the key of the worker that kept them.");
}
