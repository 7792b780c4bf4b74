import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";

test("`npm run -s openapi | head`: a reader that leaves causes no stack trace", async () => {
  const script = join(import.meta.dirname, "../../cli/openapi.ts");
  const child = spawn(process.execPath, [script], { stdio: ["ignore", "pipe", "pipe"] });
  const complaint = text(child.stderr);
  const ended = once(child, "exit");
  const [first] = (await once(child.stdout, "data")) as [Buffer];
  expect(first.toString()).toMatch(/^\{\n {2}"openapi": "3\.1\.0",/);
  child.stdout.destroy();
  await ended;
  expect(await complaint).toBe("");
}, 60_000);
