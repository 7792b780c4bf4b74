import * as fs from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/** The names of a browser's processes, by whether they are confined; "unknown" where Linux does not say. */
export type Confinement = { unconfined: string[]; confined: string[] } | "unknown";

/** Processes that no sandbox is meant for, and why. */
const byDesign: Readonly<Record<string, string>> = {
  browser: "it builds the others' sandboxes and answers their requests",
  zygote:
    "it starts the others and reads nothing from a page; the processes it starts confine themselves",
  "crashpad-handler": "it is started by the browser and reads memory of processes that crashed",
  "utility network.mojom.NetworkService":
    "headless shells have no sandbox for it; by this project's rules it dials the worker's proxy alone",
};

const lookEveryMs = 100;

interface Status {
  parent: number;
  /** 2 is a system call filter. */
  seccomp: number;
  noNewPrivileges: boolean;
  /** Number of filters; kernels before 5.9 do not count them. */
  filters: number | undefined;
}

function statusOf(pid: number): Status | undefined {
  try {
    const text = fs.readFileSync(`/proc/${pid}/status`, "utf8");
    const field = (name: string) => new RegExp(`^${name}:\\s*(\\S+)`, "m").exec(text)?.[1];
    const filters = field("Seccomp_filters");
    const seccomp = field("Seccomp");
    if (seccomp === undefined) return undefined;
    return {
      parent: Number(field("PPid")),
      seccomp: Number(seccomp),
      noNewPrivileges: field("NoNewPrivs") === "1",
      filters: filters === undefined ? undefined : Number(filters),
    };
  } catch {
    return undefined;
  }
}

/** The part of a process in the browser. */
function partOf(command: string): string {
  const option = (name: string) => new RegExp(`--${name}=([^\\s\\0]+)`).exec(command)?.[1];
  // Chromium writes spaces between its arguments, not zeros.
  if (/^[^\0 ]*crashpad/.test(command)) return "crashpad-handler";
  const type = option("type");
  if (type === undefined) return "browser";
  return [type, option("utility-sub-type")].filter(Boolean).join(" ");
}

interface Seen {
  part: string;
  confined: boolean;
}

function look(root: number, own: Status): Seen[] {
  const pids = fs.readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  const all = new Map(pids.map((pid) => [Number(pid), statusOf(Number(pid))]));
  const isBelow = (pid: number): boolean => {
    for (let at = pid; at > 1; at = all.get(at)?.parent ?? 0) if (at === root) return true;
    return false;
  };
  return [...all].flatMap(([pid, status]) => {
    if (!status || !isBelow(pid)) return [];
    try {
      const command = fs.readFileSync(`/proc/${pid}/cmdline`, "utf8");
      // A process that is ending has no command any more.
      if (command === "") return [];
      // A container filters everything in it: only a further filter is the browser's own.
      const ownFilter =
        status.filters === undefined || own.filters === undefined
          ? status.seccomp === 2
          : status.seccomp === 2 && status.filters > own.filters;
      return [{ part: partOf(command), confined: ownFilter && status.noNewPrivileges }];
    } catch {
      return [];
    }
  });
}

/**
 * How the Linux kernel confines the processes below `root`, a browser that has rendered something. Processes that
 * no sandbox is meant for are in neither list. A process that has not confined itself after `withinMs` is unconfined.
 */
export async function confinementOf(root: number, withinMs = 5000): Promise<Confinement> {
  const own = process.platform === "linux" ? statusOf(process.pid) : undefined;
  if (own === undefined) return "unknown";
  const answer = () => {
    const seen = look(root, own);
    const parts = (confined: boolean) => [
      ...new Set(
        seen
          .filter((one) => one.confined === confined && (confined || !(one.part in byDesign)))
          .map(({ part }) => part),
      ),
    ];
    return { unconfined: parts(false), confined: parts(true) };
  };
  // A process that is just starting has not confined itself yet.
  for (let waitedMs = 0; waitedMs < withinMs; waitedMs += lookEveryMs) {
    const { unconfined, confined } = answer();
    if (unconfined.length === 0 && confined.includes("renderer")) return { unconfined, confined };
    await sleep(lookEveryMs);
  }
  const { unconfined, confined } = answer();
  return unconfined.length === 0 && confined.length === 0 ? "unknown" : { unconfined, confined };
}
