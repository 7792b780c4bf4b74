import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import * as fs from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { DataFolder, dataDir, readRunning, readSecrets } from "../../local/data-folder.ts";
import { LocalProblem } from "../../local/problem.ts";

let dir: string;
beforeEach(() => {
  dir = fs.mkdtempSync(join(tmpdir(), "gateway-folder-"));
});
afterEach(() => fs.rmSync(dir, { recursive: true, force: true }));

const script = (text: string) => `
  import { DataFolder } from ${JSON.stringify(join(import.meta.dirname, "../../local/data-folder.ts"))};
  const folder = await DataFolder.open(${JSON.stringify(dir)});
  ${text}
  console.log("open");
  setInterval(() => {}, 1e6);`;

async function holder(text = "") {
  const child = spawn(process.execPath, ["--input-type=module", "-e", script(text)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(child.stdout, "data");
  return child;
}

test("secrets are created once, kept, and readable by their owner alone", async () => {
  const first = await DataFolder.open(dir);
  const secrets = first.secrets();
  first.close();
  const second = await DataFolder.open(dir);
  expect(second.secrets()).toEqual(secrets);
  expect(readSecrets(dir)).toEqual(secrets);
  expect(fs.statSync(join(dir, "secrets.json")).mode & 0o777).toBe(0o600);
  expect(secrets.keyPepper.length).toBeGreaterThanOrEqual(32);
  second.close();
});

test.each(["", "{", "null", "{}"])(
  "damaged secrets, %j, give one sentence with the way out",
  async (text) => {
    const folder = await DataFolder.open(dir);
    const secrets = folder.secrets();
    const file = join(dir, "secrets.json");
    fs.writeFileSync(file, text);
    const problem = () => {
      try {
        return folder.secrets();
      } catch (error) {
        expect(error).toBeInstanceOf(LocalProblem);
        return (error as Error).message;
      }
    };
    const [, command = ""] =
      /is damaged;.*: run `(cp .*)`, then start again\.$/.exec(problem() as string) ?? [];
    expect(() => readSecrets(dir)).toThrow(LocalProblem);
    expect(fs.readFileSync(file, "utf8"), "nothing is overwritten").toBe(text);
    execFileSync("sh", ["-c", command]);
    expect(problem()).toEqual(secrets);

    fs.rmSync(join(dir, "secrets.copy.json"));
    fs.writeFileSync(file, text);
    expect(problem()).toMatch(/restore it from a backup of the folder, or run `mv .*\.damaged`/);
    folder.close();
  },
);

test("a folder in use is refused, and free again once its owner was killed", async () => {
  const child = await holder();
  await expect(DataFolder.open(dir)).rejects.toThrow(/in use by a gateway.*process \d+/);
  child.kill("SIGKILL");
  await once(child, "exit");
  const folder = await DataFolder.open(dir);
  folder.close();
  expect(fs.readdirSync(dir)).not.toContain("owner.json");
});

test("processes of a killed start are stopped by the next one", async () => {
  const left = spawn(process.execPath, ["-e", "setInterval(() => {}, 1e6)"], { stdio: "ignore" });
  const ended = once(left, "exit");
  const child = await holder(`folder.keep("left", ${left.pid}, "SIGTERM");`);
  child.kill("SIGKILL");
  await once(child, "exit");
  const folder = await DataFolder.open(dir);
  expect((await ended)[1]).toBe("SIGTERM");
  folder.close();
});

test("an unusable folder gives one sentence", async () => {
  const file = join(dir, "file");
  fs.writeFileSync(file, "");
  for (const path of [file, join(file, "below")]) {
    const error = await DataFolder.open(path).catch((problem: unknown) => problem);
    expect(error).toBeInstanceOf(LocalProblem);
    expect((error as Error).message).toMatch(/^The data folder .* cannot be read and written/);
  }
});

const fullDevice = "/dev/full";

test.skipIf(!fs.existsSync(fullDevice))(
  "a full disk is named as such, and no draft of the lock stays",
  async () => {
    fs.symlinkSync(fullDevice, join(dir, `owner.json.${process.pid}`));
    await expect(DataFolder.open(dir)).rejects.toThrow(
      /\(ENOSPC\): free some of its disk, or name/,
    );
    expect(fs.readdirSync(dir)).toEqual(["logs"]);
  },
);

test("an empty DATA_DIR is the default, a blank one is refused", () => {
  expect(dataDir({ DATA_DIR: "" })).toBe(dataDir({}));
  expect(() => dataDir({ DATA_DIR: " " })).toThrow(/^DATA_DIR: a path/);
});

test("a port stays the same, and changes when another process has it", async () => {
  const folder = await DataFolder.open(dir);
  const port = await folder.port("redis");
  expect(await folder.port("redis")).toBe(port);
  const server = createServer().listen(port, "127.0.0.1");
  await once(server, "listening");
  expect(await folder.port("redis")).not.toBe(port);
  server.close();
  folder.close();
});

test("a running system is announced only while its start lives", async () => {
  const running = { databaseUrl: "a", redisUrl: "b", apiUrl: "c", dashboardsUrl: "d" };
  const child = await holder(`folder.announce(${JSON.stringify(running)});`);
  expect(readRunning(dir)).toEqual(running);
  child.kill("SIGKILL");
  await once(child, "exit");
  expect(readRunning(dir)).toBeUndefined();
});
