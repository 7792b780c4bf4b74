import { readFileSync } from "node:fs";
import { availableParallelism, cpus, freemem, hostname, totalmem } from "node:os";
import type { MachineLoad } from "../contract/job.ts";

/** Pools of one process beat at about the same time: they share a reading. */
const leastMs = 2000;
/** Of the times in /proc/<pid>/stat (Linux). */
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

/** Processors that the container may use; undefined where it has no limit of its own. */
function processorLimit(): number | undefined {
  const [quota, period] = read("/sys/fs/cgroup/cpu.max").split(" ").map(Number);
  return quota && period ? quota / period : undefined;
}

/** Processor time in seconds of all that a process has started, what has ended included (Linux; else 0). */
function childrenSeconds(pid: number | string): number {
  let seconds = 0;
  for (const child of read(`/proc/${pid}/task/${pid}/children`).split(" ").filter(Boolean)) {
    const stat = read(`/proc/${child}/stat`);
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    // User and system time of its own, and of its children that have ended.
    const ticks = [11, 12, 13, 14].reduce((sum, at) => sum + Number(fields[at] ?? 0), 0);
    seconds += ticks / ticksPerSecond + childrenSeconds(child);
  }
  return seconds;
}

/** How busy the machine of this process is: its container where that has limits of its own. */
export class Machine {
  readonly #limit = processorLimit();
  #before = this.#times();
  #last: MachineLoad | undefined;

  /** Nothing until some time has gone by. */
  read(): { machine?: MachineLoad } {
    if (performance.now() - this.#before.at >= leastMs) {
      const times = this.#times();
      this.#last = this.#load(times, (times.at - this.#before.at) / 1000);
      this.#before = times;
    }
    return this.#last ? { machine: this.#last } : {};
  }

  #load(times: Times, seconds: number): MachineLoad {
    const limited = process.constrainedMemory();
    const memory = limited > 0 && limited < totalmem() ? limited : totalmem();
    const free = memory < totalmem() ? process.availableMemory() : freemem();
    // A process that ends between two looks may take time with it.
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
