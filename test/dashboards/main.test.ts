import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { expect, test } from "vitest";
import { compileCache } from "../process.ts";
import { eventually, freePort, password } from "./services.ts";

function start(env: Record<string, string>) {
  const child = spawn(process.execPath, ["dashboards/main.ts"], {
    env: { PATH: process.env["PATH"], NODE_COMPILE_CACHE: compileCache, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const output = { text: "" };
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => (output.text += String(chunk)));
  }
  return { child, output, exit: once(child, "exit") as Promise<[number | null]> };
}

test("an invalid environment ends in one list of its faults", async () => {
  const { output, exit } = start({ DASHBOARDS_PORT: "http" });
  expect((await exit)[0]).toBe(1);
  expect(output.text).toMatch(/REDIS_URL: is not set\n.*DASHBOARDS_PORT: a whole number/);
  expect(output.text).toMatch(/DASHBOARDS_PASSWORD: is not set/);
  expect(output.text).not.toContain("    at ");
});

test("it starts without Redis, stops cleanly on SIGTERM, and never logs a secret", async () => {
  const port = await freePort();
  const { child, output, exit } = start({
    REDIS_URL: `redis://:redis-secret@127.0.0.1:${await freePort()}`,
    DASHBOARDS_PORT: String(port),
    DASHBOARDS_PASSWORD: password,
  });
  const url = `http://127.0.0.1:${port}`;
  await eventually(async () => expect((await fetch(`${url}/health`)).status).toBe(503));
  const headers = { authorization: `Basic ${btoa("operator:wrong-guess")}` };
  expect((await fetch(url, { headers })).status).toBe(401);
  child.kill("SIGTERM");
  expect((await exit)[0]).toBe(0);
  expect(output.text).toContain("Redis is not reachable");
  expect(output.text).toContain("wrong credentials");
  for (const secret of [password, "redis-secret", "wrong-guess", btoa("operator:wrong-guess")]) {
    expect(output.text).not.toContain(secret);
  }
});

test("a port in use is one clear sentence", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  const { output, exit } = start({
    REDIS_URL: "redis://127.0.0.1:1",
    DASHBOARDS_PORT: String(port),
    DASHBOARDS_PASSWORD: password,
  });
  expect((await exit)[0]).toBe(1);
  expect(output.text).toContain(`port ${port} is in use`);
  server.close();
});
