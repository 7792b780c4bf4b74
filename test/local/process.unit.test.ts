import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { once } from "node:events";
import { createServer } from "node:net";
import { describe, expect, test, vi } from "vitest";
import { DataFolder } from "../../local/data-folder.ts";
import { Supervised } from "../../local/supervisor.ts";
import {
  endProcess,
  freePort,
  identify,
  isPortFree,
  isRunning,
  portFault,
  run,
} from "../../local/process.ts";

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
    expect(await portFault(port)).toBe("EADDRINUSE");
    // An address of another machine, which is no port in use.
    expect(await portFault(port, "192.0.2.1")).toBe("EADDRNOTAVAIL");
    server.close();
  });
});

test("the log of a running process is rotated and goes on in the same file", async () => {
  const dir = mkdtempSync(join(tmpdir(), "gateway-logs-"));
  const folder = await DataFolder.open(dir);
  const script = `
    let line = 0;
    setInterval(() => console.log(String((line += 1)).padEnd(999, ".")), 1);`;
  const talker = new Supervised(
    {
      name: "talker",
      argv: [process.execPath, "-e", script],
      stopSignal: "SIGTERM",
      graceMs: 5000,
      ready: () => Promise.resolve(),
      readyMs: 5000,
    },
    folder,
    () => {},
    { limitBytes: 50_000, everyMs: 10 },
  );
  talker.spawn();
  const file = folder.log("talker");
  const sizeOf = (name: string) => statSync(name, { throwIfNoEntry: false })?.size ?? 0;
  await vi.waitUntil(() => sizeOf(`${file}.1`) > 0, { timeout: 20_000 });
  const before = readFileSync(`${file}.1`, "utf8");
  await vi.waitUntil(() => readFileSync(`${file}.1`, "utf8") !== before, { timeout: 20_000 });
  await talker.stop();
  expect(before).toMatch(/^1\.+\n2\.+\n/);
  expect(readFileSync(file, "utf8")).not.toContain("\0");
  folder.close();
  rmSync(dir, { recursive: true });
});
