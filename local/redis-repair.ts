import * as fs from "node:fs";
import { basename, join } from "node:path";
import { run } from "./process.ts";
import { LocalProblem } from "./problem.ts";

/** Repairs the append-only file of the local Redis, whose end may be garbage after a crash of the machine. */

/** Lines of Redis's log about a file that its tool can shorten; one that merely ends early Redis shortens itself. */
const unreadable = /(Bad file format|Unrecoverable error) reading the append only file/;
/** Lines about damage that its tool cannot repair. */
const lost = /FATAL AOF MANIFEST FILE ERROR|Short read or OOM loading DB/;

interface Damaged {
  /** Folder of the Redis. */
  home: string;
  /** The server's program. */
  file: string;
  env: NodeJS.ProcessEnv;
  /** The last lines of the log. */
  log: string;
}

/**
 * Cuts off what Redis cannot read, by Redis's own tool, and keeps the former file aside. Returns one sentence for the
 * person at the terminal; undefined where the log has another cause.
 */
export async function repairAppendOnlyFile(damaged: Damaged): Promise<string | undefined> {
  const { home, file, env, log } = damaged;
  // Since version 7 the file is a folder of parts and a manifest.
  const parts = join(home, "appendonlydir");
  const isFolder = fs.existsSync(parts);
  const data = isFolder ? parts : join(home, "appendonly.aof");
  if (lost.test(log)) throw beyondRepair(data);
  if (!unreadable.test(log)) return undefined;
  const former = join(home, `damaged-${new Date().toISOString().replaceAll(":", "-")}`);
  fs.cpSync(data, former, { recursive: true });

  // The server and this tool are the same program, which acts by the name it is called with.
  const tool = join(home, basename(file).replace("server", "check-aof"));
  fs.rmSync(tool, { force: true });
  fs.symlinkSync(file, tool);
  const target = isFolder ? join(parts, "appendonly.aof.manifest") : data;
  const asked = 'echo y | "$0" --fix "$1"';
  const { ok, output } = await run({ argv: ["sh", "-c", asked, tool, target], env }, 600_000);
  if (!ok) throw beyondRepair(data);
  const bytes = /with (\d+) bytes/.exec(output)?.[1] ?? "some";
  return `Redis could not read the end of its append-only file, so ${bytes} bytes were cut off; the former file is ${former}.`;
}

const beyondRepair = (data: string): LocalProblem =>
  new LocalProblem(
    `Redis cannot read its append-only file ${data}, and its own tool cannot repair it: restore it from a backup, or run \`mv ${data} ${data}.damaged\` to start with empty queues. Credits, jobs and batches are in Postgres.`,
  );
