import { execFile } from "node:child_process";
import { readFile, readdir, readlink } from "node:fs/promises";
import { promisify } from "node:util";

const run = promisify(execFile);
export const hasProc = process.platform === "linux";

/** Command line of a process, empty when it has gone. */
export async function commandOf(pid: number): Promise<string> {
  if (hasProc) return readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
  return run("ps", ["-o", "command=", "-p", String(pid)]).then(
    ({ stdout }) => stdout,
    () => "",
  );
}

/** Resident bytes of a process, 0 when it has gone. */
export async function residentOf(pid: number): Promise<number> {
  const { stdout } = await run("ps", ["-o", "rss=", "-p", String(pid)]).catch(() => ({
    stdout: "",
  }));
  return Number(stdout.trim()) * 1024;
}

/**
 * Files that libuv opens for a thread's event loop: an epoll, an io_uring, an event and both ends
 * of a pipe.
 */
const filesOfLoop = 5;

/**
 * Open files of a process without those of its event loops, the sockets among them, and the event
 * loops; only on Linux.
 */
export async function openFiles(
  pid: number,
): Promise<{ files: number; sockets: number; loops: number } | undefined> {
  if (!hasProc) return undefined;
  const folder = `/proc/${pid}/fd`;
  const names = await readdir(folder).catch(() => []);
  const targets = await Promise.all(
    names.map((name) => readlink(`${folder}/${name}`).catch(() => "")),
  );
  // The memory watchdog reads the files of every process about once a second.
  const open = targets.filter((target) => target !== "" && !target.startsWith("/proc/"));
  const loops = open.filter((target) => target === "anon_inode:[eventpoll]").length;
  return {
    files: open.length - filesOfLoop * loops,
    loops,
    sockets: open.filter((target) => target.startsWith("socket:")).length,
  };
}

/** Distinguishes a process from a later one with the same id; undefined when it has gone. */
export async function birthOf(pid: number): Promise<string | undefined> {
  if (!hasProc) {
    const { stdout } = await run("ps", ["-o", "lstart=", "-p", String(pid)]).catch(() => ({
      stdout: "",
    }));
    return stdout.trim() || undefined;
  }
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  // The name in brackets may contain anything; the state follows it, the start time 19 fields
  // later.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return fields[0] === "Z" ? undefined : fields[19];
}
