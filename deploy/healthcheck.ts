import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * Health check that also restarts its container, because compose only marks unhealthy containers. Arguments:
 * the seconds for which the process may fail its check, and the check itself, a URL or a script. After that
 * time the process gets SIGTERM, later SIGKILL, and `restart: unless-stopped` starts it again. The time is
 * longer than any call lasts, so that no call is lost that could still be answered.
 */

/** Time between SIGTERM and SIGKILL: a process limits its own stop to 135 s. */
const graceSeconds = 150;
/** Its modification time is the first failure; the folder is emptied when the container restarts. */
const sinceFile = join(tmpdir(), "unhealthy-since");

const [allowed = "300", check = ""] = process.argv.slice(2);

async function passes(): Promise<boolean> {
  if (!check.startsWith("http"))
    return spawnSync(process.execPath, [check], { stdio: "inherit", timeout: 7000 }).status === 0;
  const answer = await fetch(check, { signal: AbortSignal.timeout(4000) }).catch(() => undefined);
  return answer?.ok === true;
}

/** The pid of the container's command: the first child of its init process. */
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
