import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** Preloads the reporter of silences into a process of Node. */
export const reporting = `--import=${fileURLToPath(new URL("silence.ts", import.meta.url))}`;

/** A time in which an event loop ran nothing, or one piece of work. Milliseconds. */
export interface Silence {
  ms: number;
  /** Processor time of its thread meanwhile. */
  ownMs: number;
  /** Time in which the thread waited for a processor. */
  waitedMs: number;
  /** Of it the part in which an idle process of the same priority was silent, too: the machine's. */
  sharedMs: number;
}

interface Reported extends Omit<Silence, "sharedMs"> {
  /** Milliseconds since 1970. */
  end: number;
}

const line = /^silence (\d+) (-?\d+) (-?\d+) (\d+)$/gm;

function reported(log: string): Reported[] {
  return [...log.matchAll(line)].map(([, ...figures]) => {
    const [ms = 0, ownMs = 0, waitedMs = 0, end = 0] = figures.map(Number);
    return { ms, ownMs, waitedMs, end };
  });
}

/** The longest silence, the machine's part taken away. Clocks of processes on one machine agree to a millisecond. */
export function longestOf(log: string, reference: string): Silence {
  const idle = reported(reference);
  const all = reported(log).map(({ end, ...one }): Silence => {
    const begin = end - one.ms;
    const shared = idle.reduce(
      (sum, other) =>
        sum + Math.max(0, Math.min(end, other.end) - Math.max(begin, other.end - other.ms)),
      0,
    );
    return { ...one, sharedMs: Math.min(one.ms, shared) };
  });
  const none = { ms: 0, ownMs: 0, waitedMs: 0, sharedMs: 0 };
  return all.reduce((a, b) => (b.ms - b.sharedMs > a.ms - a.sharedMs ? b : a), none);
}

/** A process that does nothing but report its silences. */
export async function startReference() {
  const idle = "setInterval(() => undefined, 2 ** 30)";
  const child = spawn(process.execPath, [reporting, "--eval", idle], {
    env: { PATH: process.env["PATH"] },
    stdio: ["ignore", "pipe", "inherit"],
  });
  // An interrupted run leaves no other owner to end it.
  process.once("exit", () => child.kill());
  let log = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (log += text));
  return {
    log: () => log,
    async stop() {
      child.kill();
      await once(child, "exit");
    },
  };
}
