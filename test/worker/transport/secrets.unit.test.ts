import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isConfigured, readSecrets } from "../../../worker/transport/secrets.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "secrets-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test("a secret is configured by its variable or its file, readable or not", () => {
  expect(isConfigured("KEY", { KEY: "k" })).toBe(true);
  expect(isConfigured("KEY", { KEY_FILE: "/nowhere" })).toBe(true);
  expect(isConfigured("KEY", { KEY: " ", KEY_FILE: "" })).toBe(false);
});

test("reads the variable, or the file named by its _FILE variant", async () => {
  const file = join(folder, "key");
  await writeFile(file, "from a file\n");
  const env = { LOGIN: " direct ", KEY_FILE: file };
  expect(await readSecrets(["LOGIN", "KEY"], env)).toEqual({ LOGIN: "direct", KEY: "from a file" });
  await writeFile(file, "rotated");
  expect(await readSecrets(["KEY"], env)).toEqual({ KEY: "rotated" });
});

test("names the missing variables", async () => {
  await writeFile(join(folder, "empty"), "\n");
  await expect(readSecrets(["KEY"], { KEY: " " })).rejects.toMatchObject({ variable: "KEY" });
  for (const name of ["absent", "empty"]) {
    const env = { KEY_FILE: join(folder, name) };
    await expect(readSecrets(["KEY"], env)).rejects.toMatchObject({ variable: "KEY_FILE" });
  }
});
