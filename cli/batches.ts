import { Option } from "commander";
import type { Command } from "commander";
import { resultLines } from "../api/batches/results.ts";
import { batchView } from "../api/batches/batch-view.ts";
import { type BatchData, batchStates } from "../contract/batches.ts";
import { noteChange } from "../db/changes.ts";
import { ItemStore } from "../db/batch-items.ts";
import { BatchStore } from "../db/batches.ts";
import type { Owner } from "../db/owner.ts";
import type { Database } from "../db/client.ts";
import type { Mode } from "../db/schema.ts";
import { findAccount } from "./accounts.ts";
import { addCommand, modeOption, requiredAccount, wholeNumber } from "./arguments.ts";
import { fields, table } from "./output.ts";
import type { Output, Print } from "./output.ts";
import { CliProblem } from "./problem.ts";
import { actor, withDatabase } from "./system.ts";

interface Question {
  account: string;
  mode?: Mode;
  state?: string;
  limit: number;
}

async function list(db: Database, question: Question): Promise<Output> {
  const { id, name } = await findAccount(db, question.account);
  const { limit, state } = question;
  const modes: Mode[] = question.mode ? [question.mode] : ["live", "test"];
  const store = new BatchStore(db);
  const now = Date.now();
  const rows = (
    await Promise.all(
      modes.map(async (mode) => {
        const found = await store.list({ accountId: id, mode }, { limit, state });
        return found.map((row) => ({ mode, ...batchView(row, now) }));
      }),
    )
  )
    .flat()
    .toSorted((a, b) => b.created_at.localeCompare(a.created_at))
    .slice(0, limit);
  return {
    json: { account: name, batches: rows },
    text:
      rows.length === 0
        ? `${name} has no such batches.`
        : table(
            ["id", "mode", "state", "created", "items", "succeeded", "failed", "credits"],
            rows.map((row) => [
              row.id,
              row.mode,
              row.state,
              row.created_at,
              row.items.total,
              row.items.succeeded,
              row.items.failed,
              row.credits.charged,
            ]),
          ),
  };
}

function shown(data: BatchData): Output {
  const { items, credits } = data;
  return {
    json: data,
    text: fields({
      id: data.id,
      state: data.state,
      ...(data.error ? { why: data.error.message } : {}),
      created: data.created_at,
      ended: data.ended_at ?? "",
      "estimated end": data.estimated_end_at ?? "",
      ...items,
      held: credits.held,
      charged: credits.charged,
      most: credits.max ?? "",
    }),
  };
}

/** Runs a step on a batch of any account, notes its effect in the log of changes, and shows the batch afterwards. */
async function onBatch(
  db: Database,
  id: string,
  step: (store: BatchStore, owner: Owner) => Promise<unknown>,
  effect?: object,
): Promise<Output> {
  const store = new BatchStore(db);
  const owner = await ownerOf(db, id);
  await step(store, owner);
  const row = await store.get(owner, id);
  if (!row) throw unknown(id);
  const { accountId } = owner;
  if (effect)
    await noteChange(db, actor(), { kind: "batch", target: id, accountId, after: effect });
  return shown(batchView(row, Date.now()));
}

async function ownerOf(db: Database, id: string): Promise<Owner> {
  if (!/^batch_[0-9a-f]{32}$/.test(id))
    throw new CliProblem("usage", "<id> is not an id of a batch (batch_…).");
  const owner = await new BatchStore(db).ownerOf(id);
  if (!owner) throw unknown(id);
  return owner;
}

const unknown = (id: string) =>
  new CliProblem("batch_unknown", `There is no batch ${id}: results are kept for a day.`);

/** Streams the result lines as the API would, without buffering them. */
async function results(db: Database, id: string, after: number): Promise<void> {
  const owner = await ownerOf(db, id);
  const batch = await new BatchStore(db).get(owner, id);
  if (!batch) throw unknown(id);
  const never = { wait: () => Promise.resolve() };
  for await (const bytes of resultLines({
    batch,
    after,
    follow: false,
    items: new ItemStore(db),
    watchers: never,
    now: () => Promise.resolve(undefined),
    leaving: () => false,
  })) {
    if (!process.stdout.write(bytes))
      await new Promise((resolve) => process.stdout.once("drain", resolve));
  }
}

/** `gateway batches` */
export function addBatches(program: Command, print: Print): void {
  const batches = program.command("batches").description("calls that were submitted together");
  addCommand(batches, "list", "list the batches of an account, newest first")
    .addOption(requiredAccount())
    .addOption(modeOption())
    .addOption(
      new Option("--state <state>", "only batches in this state").choices([...batchStates]),
    )
    .option("--limit <n>", "most batches to show", wholeNumber(1, 100), 20)
    .action(async (question: Question) => {
      print(await withDatabase((db) => list(db, question)));
    });
  addCommand(batches, "show", "show the progress of a batch")
    .argument("<id>", "id of the batch")
    .action(async (id: string) => {
      print(await withDatabase((db) => onBatch(db, id, () => Promise.resolve())));
    });
  batches
    .command("results")
    .description("print the results, one line each, in order of completion")
    .argument("<id>", "id of the batch")
    .option("--after <n>", "sequence of the last line that was read", wholeNumber(0, 1e9), 0)
    .action(async (id: string, options: { after: number }) => {
      await withDatabase((db) => results(db, id, options.after));
    });
  addCommand(batches, "cancel", "cancel the rest of a batch; nothing more is charged")
    .argument("<id>", "id of the batch")
    .action(async (id: string) => {
      const step = (store: BatchStore, owner: Owner) => store.cancel(owner, id);
      print(await withDatabase((db) => onBatch(db, id, step, { state: "cancelled" })));
    });
  addCommand(batches, "retry", "run the failed items again")
    .argument("<id>", "id of the batch")
    .action(async (id: string) => {
      const step = async (store: BatchStore, owner: Owner) => {
        if ((await store.retry(owner, id)) !== "cancelled") return;
        throw new CliProblem(
          "batch_cancelled",
          `The batch ${id} was cancelled, or its key revoked.`,
        );
      };
      const effect = { effect: "failed items run again" };
      print(await withDatabase((db) => onBatch(db, id, step, effect)));
    });
}
