import { readFileSync } from "node:fs";
import { availableParallelism, cpus, freemem, hostname, totalmem } from "node:os";
import type { MachineLoad } from "../contract/job.ts";

/** Pools of one process beat at about the same time: they share a reading. */
const leastMs = 2000;

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

/** How busy the machine of this process is: its container where that has limits of its own. */
export class Machine {
  readonly #limit = processorLimit();
  #before = this.#times();
  #last: MachineLoad | undefined;

  /** Nothing until some time has gone by. */
  read(): { machine?: MachineLoad } {
    const times = this.#times();
    const seconds = (times.at - this.#before.at) / 1000;
    if (seconds * 1000 >= leastMs) {
      this.#last = this.#load(times, seconds);
      this.#before = times;
    }
    return this.#last ? { machine: this.#last } : {};
  }

  #load(times: Times, seconds: number): MachineLoad {
    const limited = process.constrainedMemory();
    const memory = limited > 0 && limited < totalmem() ? limited : totalmem();
    const free = memory < totalmem() ? process.availableMemory() : freemem();
    const rounded = (value: number) => Math.round(value * 1000) / 1000;
    return {
      process: `${hostname()}-${process.pid}`,
      host: hostname(),
      busy_processors: rounded((times.busy - this.#before.busy) / seconds),
      processors: this.#limit ?? availableParallelism(),
      own_processors: rounded((times.own - this.#before.own) / seconds),
      memory_used: Math.max(0, memory - free),
      memory,
      own_limits: this.#limit !== undefined,
    };
  }

  #times(): Times {
    const { user, system } = process.cpuUsage();
    return { at: performance.now(), busy: this.#busy(), own: (user + system) / 1e6 };
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
