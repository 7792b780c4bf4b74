import { Command, CommanderError } from "commander";
import { build, buildText } from "../runtime/build.ts";
import type { Print } from "./output.ts";
import { describe } from "./problem.ts";
import type { Described } from "./problem.ts";

type Add = (program: Command, print: Print) => void;

/** Only the requested group is loaded: some groups load the database layer, some every connector. */
const groups = new Map<string, () => Promise<Add>>([
  ["accounts", async () => (await import("./accounts.ts")).addAccounts],
  ["keys", async () => (await import("./keys.ts")).addKeys],
  ["credentials", async () => (await import("./credentials.ts")).addCredentials],
  ["credits", async () => (await import("./credits.ts")).addCreditsGroup],
  ["batches", async () => (await import("./batches.ts")).addBatches],
  ["usage", async () => (await import("./usage.ts")).addUsage],
  ["changes", async () => (await import("./changes.ts")).addChanges],
  ["users", async () => (await import("./users.ts")).addUsers],
  ["control", async () => (await import("./control.ts")).addControl],
  ["jobs", async () => (await import("./jobs.ts")).addJobs],
  ["request", async () => (await import("./request.ts")).addRequest],
  ["capacity", async () => (await import("./capacity.ts")).addCapacity],
  ["webhooks", async () => (await import("./webhooks.ts")).addWebhookGroup],
  ["migrate", async () => (await import("./migrate.ts")).addMigrate],
  ["doctor", async () => (await import("./doctor.ts")).addDoctor],
  ["call", async () => (await import("./call.ts")).addCall],
  ["completion", async () => (await import("./completion.ts")).addCompletion],
  ["complete", async () => (await import("./completion.ts")).addCompletion],
  ["mcp", async () => (await import("./mcp.ts")).addMcp],
  ["drift", async () => (await import("./drift.ts")).addDrift],
  ["replay", async () => (await import("./replay.ts")).addReplay],
  ["shadow", async () => (await import("./shadow.ts")).addShadow],
  ["map", async () => (await import("./map.ts")).addMap],
  ["operations", async () => (await import("./operations.ts")).addOperations],
  ["verify", async () => (await import("./verify.ts")).addVerify],
]);

/** Undefined where the arguments only request help. */
function faultOf(error: unknown): Described | undefined {
  if (!(error instanceof CommanderError)) return describe(error);
  if (error.exitCode === 0) return undefined;
  const isMissing = error.code === "commander.help";
  const message = isMissing ? "a command is missing" : error.message.replace(/^error: /, "");
  return { type: "usage", message };
}

/** Runs one command with this process's output and environment; a failed one sets the exit code. */
export async function runCommand(given: readonly string[]): Promise<void> {
  // Read before the arguments are parsed, because a parse error is printed in the same form.
  const json = given.includes("--json");
  const args = given.filter((arg) => arg !== "--json");
  const print: Print = (output) => {
    const text = json ? JSON.stringify(output.json, null, 2) : output.text;
    process.stdout.write(`${text}\n`);
    if (output.failed) process.exitCode = 1;
  };
  if (args[0] === "--version") return print({ json: build, text: buildText(build) });
  const program = new Command("gateway")
    .usage("<command> [options]")
    .option("--version", "print version and commit")
    .description("Operates a gateway: accounts, keys, credits, health.")
    .exitOverride()
    .configureOutput({ outputError: () => {}, ...(json ? { writeErr: () => {} } : {}) });
  try {
    const group = groups.get(args[0] ?? "");
    const loaded = await Promise.all(
      (group ? [group] : [...groups.values()]).map((load) => load()),
    );
    for (const add of new Set(loaded)) add(program, print);
    await program.parseAsync(args, { from: "user" });
  } catch (error) {
    const fault = faultOf(error);
    if (fault) {
      if (json) process.stdout.write(`${JSON.stringify({ error: fault }, null, 2)}\n`);
      else process.stderr.write(`${fault.message}\n`);
      process.exitCode = 1;
    }
  }
}
