import * as fs from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/** How a renderer is kept in: its own process namespace, a system call filter, neither, or not to be seen. */
export type Confinement = "namespace and system call filter" | "none" | "unknown";

interface Status {
  parent: number;
  /** Process namespaces it is nested in. */
  namespaces: number;
  filters: number;
  /** Kernels before 5.9 do not count filters. */
  filtersTold: boolean;
}

function statusOf(pid: number): Status | undefined {
  try {
    const text = fs.readFileSync(`/proc/${pid}/status`, "utf8");
    const field = (name: string) => new RegExp(`^${name}:\\s*(.*)$`, "m").exec(text)?.[1] ?? "";
    return {
      parent: Number(field("PPid")),
      namespaces: field("NSpid").split(/\s+/).length,
      filters: Number(field("Seccomp_filters")),
      filtersTold: field("Seccomp_filters") !== "",
    };
  } catch {
    return undefined;
  }
}

const isBelow = (pid: number, root: number): boolean => {
  for (let at = pid; at > 1; at = statusOf(at)?.parent ?? 0) if (at === root) return true;
  return false;
};

function renderersBelow(root: number): Status[] {
  const pids = fs.readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids.map(Number).flatMap((pid) => {
    try {
      const command = fs.readFileSync(`/proc/${pid}/cmdline`, "utf8");
      const status = statusOf(pid);
      return status && command.includes("--type=renderer") && isBelow(pid, root) ? [status] : [];
    } catch {
      // It ended in between.
      return [];
    }
  });
}

/**
 * How the renderers below the process `root` are confined, as the Linux kernel tells it. Compared
 * with this process, because a container confines everything in it to some degree.
 */
export async function confinementOf(root: number): Promise<Confinement> {
  const own = process.platform === "linux" ? statusOf(process.pid) : undefined;
  if (own === undefined || !own.filtersTold) return "unknown";
  // A renderer that is just starting has not shut itself in yet.
  for (let attempt = 0; attempt < 30; attempt++) {
    const seen = renderersBelow(root);
    if (
      seen.length > 0 &&
      seen.every((one) => one.namespaces > own.namespaces && one.filters > own.filters)
    )
      return "namespace and system call filter";
    await sleep(100);
  }
  return renderersBelow(root).length === 0 ? "unknown" : "none";
}
