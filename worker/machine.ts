import { readFileSync } from "node:fs";
import { availableParallelism, cpus, freemem, hostname, totalmem } from "node:os";
import type { MachineLoad } from "../runtime/queue.ts";
import { usableMemory } from "../runtime/usable-memory.ts";

/** Pools of one process send heartbeats at about the same time and share a reading. */
const leastMs = 2000;
/** Unit of the times in /proc/<pid>/stat (Linux). */
const ticksPerSecond = 100;

interface Times {
  at: number;
  /** Seconds of processor time so far. */
  busy: number;
  own: number;
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8").trim();
  } catch {
    return "";
  }
}

/** Processors that the container may use; undefined without a limit. */
function processorLimit(): number | undefined {
  const [quota, period] = read("/sys/fs/cgroup/cpu.max").split(" ").map(Number);
  return quota && period ? quota / period : undefined;
}

/** Processor time in seconds of all descendants of a process, ended ones included (Linux; else 0). */
function childrenSeconds(pid: number | string): number {
  let seconds = 0;
  for (const child of read(`/proc/${pid}/task/${pid}/children`).split(" ").filter(Boolean)) {
    const stat = read(`/proc/${child}/stat`);
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    // User and system time of the process, then of its ended children.
    const ticks = [11, 12, 13, 14].reduce((sum, at) => sum + Number(fields[at] ?? 0), 0);
    seconds += ticks / ticksPerSecond + childrenSeconds(child);
  }
  return seconds;
}

/** Load of this process's machine, or of its container where that has limits. */
export class Machine {
  readonly #limit = processorLimit();
  #before = this.#times();
  #last: MachineLoad | undefined;

  /** Empty until the first interval is over. */
  read(): { machine?: MachineLoad } {
    if (performance.now() - this.#before.at >= leastMs) {
      const times = this.#times();
      this.#last = this.#load(times, (times.at - this.#before.at) / 1000);
      this.#before = times;
    }
    return this.#last ? { machine: this.#last } : {};
  }

  #load(times: Times, seconds: number): MachineLoad {
    const memory = usableMemory();
    const free = memory < totalmem() ? process.availableMemory() : freemem();
    // The time of a process that ends between two readings may be lost, which would make this negative.
    const processors = (spent: number) => Math.max(0, Math.round((spent / seconds) * 1000) / 1000);
    return {
      process: `${hostname()}-${process.pid}`,
      host: hostname(),
      busy_processors: processors(times.busy - this.#before.busy),
      processors: this.#limit ?? availableParallelism(),
      own_processors: processors(times.own - this.#before.own),
      memory_used: Math.max(0, memory - free),
      memory,
      own_limits: this.#limit !== undefined,
    };
  }

  #times(): Times {
    const { user, system } = process.cpuUsage();
    const own = (user + system) / 1e6 + childrenSeconds(process.pid);
    return { at: performance.now(), busy: this.#busy(), own };
  }

  #busy(): number {
    if (this.#limit !== undefined) {
      const used = /^usage_usec (\d+)$/m.exec(read("/sys/fs/cgroup/cpu.stat"))?.[1];
      return Number(used ?? 0) / 1e6;
    }
    let milliseconds = 0;
    for (const { times } of cpus()) milliseconds += times.user + times.nice + times.sys + times.irq;
    return milliseconds / 1000;
  }
}
