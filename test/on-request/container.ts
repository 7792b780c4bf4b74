import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import * as fs from "node:fs";
import { promisify } from "node:util";
import { until } from "../gateway.ts";
import type { Image } from "./image.ts";

/**
 * A process of the image in mount and process namespaces of its own, as compose runs it: a read-only root, no
 * capability, no new privileges, an init. It shares the network, and has no seccomp profile.
 */

// The init of a container passes SIGTERM on. pivot_root, as no user namespace is had below a chroot.
const init = `
set -e
root=$1 user=$2 folder=$3 volumes=$4; shift 4
mount --bind "$root" "$root"
cd "$root"
mount -t proc proc proc
mount --rbind /dev dev
mount -t tmpfs -o mode=1777 tmpfs dev/shm
for volume in $volumes; do mount -t tmpfs -o "\${volume#*:}" tmpfs ".\${volume%%:*}"; done
mount --bind /etc/hosts etc/hosts
mount --bind /etc/resolv.conf etc/resolv.conf
mount -o remount,bind,ro .
pivot_root . .
umount -l .
cd "$folder"
set +e
setpriv --reuid "$user" --regid "$user" --clear-groups --inh-caps=-all --bounding-set=-all --no-new-privs "$@" &
child=$!
trap 'kill -TERM $child' TERM
until wait $child; code=$?; ! kill -0 $child 2>/dev/null; do :; done
exit $code
`;

export interface Container {
  log(): string;
  /** Runs a further command in it, as `docker exec` does. */
  exec(command: readonly string[]): Promise<{ stdout: string; stderr: string }>;
  /** Resolves with its exit code. */
  ended: Promise<number>;
  /** Sends SIGTERM, and resolves with the exit code. */
  stop(): Promise<number>;
}

export function startContainer(
  image: Image,
  service: { command: readonly string[]; tmpfs: readonly string[] },
  env: Record<string, string>,
): Container {
  const { root, user, workingDir } = image;
  for (const file of ["hosts", "resolv.conf"]) {
    const path = `${root}/etc/${file}`;
    if (!fs.existsSync(path)) fs.writeFileSync(path, "");
  }
  const set = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  const environment = ["env", "-i", `HOME=/home/${user}`, ...image.env, ...set];
  // Settings of compose's tmpfs that only a volume without them needs.
  const volumes = service.tmpfs.map((one) => `${one},mode=1777`).join(" ");
  const outer = ["--mount", "--pid", "--fork", "--kill-child=SIGKILL"];
  const inner = ["sh", "-c", init, "init", root, user, workingDir, volumes, ...environment];
  const child = spawn("unshare", [...outer, ...inner, ...service.command], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let log = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => (log += text));
  }
  const ended = once(child, "exit").then(([code]) => Number(code ?? -1));
  return {
    log: () => log,
    ended,
    async exec(command) {
      const into = ["--target", String(await initOf(child)), "--mount", "--pid", "setpriv"];
      const as = ["--reuid", user, "--regid", user, "--clear-groups", "--no-new-privs"];
      const where = [...environment.slice(0, 1), "--chdir", workingDir, ...environment.slice(1)];
      const started = promisify(execFile)("nsenter", [...into, ...as, ...where, ...command]);
      return started.catch((error: { code: unknown; signal: unknown; stdout: string }) => {
        const { code, signal, stdout } = error;
        throw new Error(`${command.join(" ")} ended with ${String(signal ?? code)}: ${stdout}`, {
          cause: error,
        });
      });
    },
    async stop() {
      if (child.exitCode === null) process.kill(await initOf(child), "SIGTERM");
      return ended;
    },
  };
}

/** The pid of the namespace's init, as this machine counts: the child of `unshare`. */
async function initOf({ pid }: ChildProcess): Promise<number> {
  const children = () => fs.readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim();
  await until(() => children() !== "");
  return Number(children());
}
