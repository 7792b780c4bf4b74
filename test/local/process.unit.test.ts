import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { describe, expect, test } from "vitest";
import { endProcess, freePort, identify, isPortFree, isRunning, run } from "../../local/process.ts";

const sleeper = (script = "setInterval(() => {}, 1e6); console.log('up')") =>
  spawn(process.execPath, ["-e", script], { stdio: ["ignore", "pipe", "ignore"] });

describe("processes", () => {
  test("a process is identified by id and start time, and gone once it has ended", async () => {
    const child = sleeper();
    await once(child.stdout, "data");
    const id = identify(child.pid as number);
    expect(id).toBeDefined();
    if (!id) return;
    expect(isRunning(id)).toBe(true);
    expect(isRunning({ ...id, started: "1" })).toBe(false);
    await endProcess(id, "SIGTERM", 5000);
    expect(isRunning(id)).toBe(false);
    expect(identify(child.pid as number)).toBeUndefined();
  });

  test("a process that ignores its signal is killed after the grace", async () => {
    const child = sleeper(
      "process.on('SIGTERM', () => {}); setInterval(() => {}, 1e6); console.log('up')",
    );
    await once(child.stdout, "data");
    const id = identify(child.pid as number);
    const ended = once(child, "exit");
    if (id) await endProcess(id, "SIGTERM", 100);
    expect((await ended)[1]).toBe("SIGKILL");
  });

  test("a command's failure is a value with its output", async () => {
    const failed = await run({
      argv: [process.execPath, "-e", "console.error('no'); process.exit(3)"],
    });
    expect(failed).toMatchObject({ ok: false, output: "no" });
    const missing = await run({ argv: ["/does/not/exist"] });
    expect(missing.ok).toBe(false);
    expect(missing.output).toContain("ENOENT");
  });

  test("a port in use is not free", async () => {
    const port = await freePort();
    expect(await isPortFree(port)).toBe(true);
    const server = createServer().listen(port, "127.0.0.1");
    await once(server, "listening");
    expect(await isPortFree(port)).toBe(false);
    server.close();
  });
});
