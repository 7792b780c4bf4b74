import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * Health check of a container that also restarts it: compose only marks what is unhealthy. Arguments:
 * for how many seconds the process may fail its check, then the check itself, a URL or a script. After
 * that time the process is asked to end, by force when that does not help, and `restart: unless-stopped`
 * starts it again. Longer than any call lasts, so that no call is lost which would have been answered.
 */

/** A process that ends as asked has done so by then: its own limit is 135 s. */
const graceSeconds = 150;
/** Since when it fails; the folder is emptied with the container. */
const sinceFile = join(tmpdir(), "unhealthy-since");

const [allowed = "300", check = ""] = process.argv.slice(2);

async function passes(): Promise<boolean> {
  if (!check.startsWith("http"))
    return spawnSync(process.execPath, [check], { stdio: "inherit", timeout: 7000 }).status === 0;
  const answer = await fetch(check, { signal: AbortSignal.timeout(4000) }).catch(() => undefined);
  return answer?.ok === true;
}

/** The command of the container: the first child of its init. */
function mainProcess(): number {
  return Number(readFileSync("/proc/1/task/1/children", "utf8").split(" ")[0]);
}

if (await passes()) rmSync(sinceFile, { force: true });
else {
  if (!existsSync(sinceFile)) writeFileSync(sinceFile, "");
  const seconds = (Date.now() - statSync(sinceFile).mtimeMs) / 1000;
  const signal = seconds > Number(allowed) + graceSeconds ? "SIGKILL" : "SIGTERM";
  if (seconds > Number(allowed)) process.kill(mainProcess(), signal);
  process.exitCode = 1;
}
