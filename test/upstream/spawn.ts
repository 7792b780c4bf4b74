import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { controlPrefix, type Recorded, type Script } from "./simulator.ts";

/** A simulator in a process of its own. */
export interface SpawnedSimulator {
  url: string;
  pid: number;
  play(path: string, script: Script): Promise<void>;
  calls(path?: string): Promise<Recorded[]>;
  /** Answers the requests that `hold` keeps waiting. */
  release(): Promise<void>;
  /** Connections open right now. */
  sockets(): Promise<number>;
  reset(): Promise<void>;
  /** Ends the process at once: connections are refused from then on. */
  stop(): Promise<void>;
}

/** Starts `main.ts` beside this file, on `port` or a free one. */
export async function spawnSimulator(port = 0): Promise<SpawnedSimulator> {
  const main = fileURLToPath(new URL("main.ts", import.meta.url));
  const child = spawn(process.execPath, [main, String(port)], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const lines = createInterface({ input: child.stdout });
  const [url] = (await Promise.race([
    once(lines, "line"),
    once(child, "exit").then(([code]) => {
      throw new Error(`the simulator ended with ${String(code)}`);
    }),
  ])) as [string];

  async function control(command: string, body: unknown = {}): Promise<unknown> {
    const response = await fetch(url + controlPrefix + command, {
      method: "POST",
      body: JSON.stringify(body),
      headers: { connection: "close" },
    });
    if (!response.ok) throw new Error(`simulator: ${response.status} for ${command}`);
    return response.json();
  }
  const state = () => control("calls") as Promise<{ calls: Recorded[]; sockets: number }>;

  return {
    url,
    pid: child.pid as number,
    async play(path, script) {
      await control("play", { path, ...script });
    },
    async calls(path) {
      const { calls } = await state();
      return path ? calls.filter((call) => call.path === path) : calls;
    },
    async release() {
      await control("release");
    },
    sockets: async () => (await state()).sockets,
    async reset() {
      await control("reset");
    },
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const gone = once(child, "exit");
      child.kill("SIGKILL");
      await gone;
    },
  };
}
