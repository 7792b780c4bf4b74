import { spawn } from "node:child_process";
import { setPriority } from "node:os";
import { join } from "node:path";

const script = join(import.meta.dirname, "..", "client", "build.ts");
/** Compiling takes ten seconds of processor time, in which calls go first. */
const niceness = 15;
const mostText = 500;

/** Builds the client that the API serves at `/client.tgz`, in the background, where it is missing or old. */
export function buildClient(print: (line: string) => void): { stop(): void } {
  const child = spawn(process.execPath, [script, "--if-old"], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  let problem = "";
  let isStopped = false;
  child.stderr.on("data", (part: Buffer) => {
    problem = (problem + part.toString()).slice(-mostText);
  });
  child.on("error", (error) => (problem = error.message));
  child.on("close", (code) => {
    if (code !== 0 && !isStopped) print(`The client at /client.tgz could not be built: ${problem}`);
  });
  try {
    if (child.pid !== undefined) setPriority(child.pid, niceness);
  } catch {
    // It has ended already.
  }
  return {
    stop() {
      isStopped = true;
      child.kill();
    },
  };
}
