// `node local/setup.mjs <script> [arguments]`: installs missing packages, then runs the script on the
// project's own Node. Plain JavaScript without dependencies, because it runs before anything is installed,
// on any Node from 20 on. It never writes to standard output, which belongs to the script.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import * as fs from "node:fs";
import { hostname } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const root = resolve(import.meta.dirname ?? new URL(".", import.meta.url).pathname, "..");
const modules = join(root, "node_modules");
const bin = join(modules, ".bin");
const node = join(bin, "node");
// npm leaves folders in node_modules alone whose names start with a dot.
const state = join(modules, ".setup");
const stampFile = join(state, "stamp");
const lockFile = join(state, "lock");
const logFile = join(state, "install.log");
const heartbeatMs = 2000;
const staleMs = 20_000;
const forwarded = ["SIGINT", "SIGTERM", "SIGHUP", "SIGUSR2"];

const driverGuard = join(root, "db", "patch-driver.mjs");
const path = [bin, ...(process.env.PATH ?? "").split(delimiter).filter((part) => part !== bin)];
const environment = {
  // The compile cache saves a third of the processor time of every start. Changed files are compiled again.
  NODE_COMPILE_CACHE: join(modules, ".cache", "compile"),
  ...process.env,
  PATH: path.join(delimiter),
};

class SetupError extends Error {}

const read = (file) => {
  try {
    return fs.readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
};

/** The installation is current while this text is unchanged: lock file, machine, Node, driver patch. */
function stamp() {
  const lock = createHash("sha256").update(read(join(root, "package-lock.json")) ?? "");
  const guard = createHash("sha256").update(read(driverGuard) ?? "");
  return [
    `lock ${lock.digest("hex")}`,
    `platform ${process.platform}-${process.arch}`,
    `node ${installedNode() ?? "none"}`,
    `guard ${guard.digest("hex")}`,
  ].join("\n");
}

/** Version of the Node in node_modules; undefined when it is absent. */
function installedNode() {
  if (!fs.existsSync(node)) return undefined;
  const text = read(join(modules, "node", "package.json"));
  return text === undefined ? undefined : JSON.parse(text).version;
}

/**
 * The package `node` downloads its binary as a further package, which is missing in the lock file. npm has
 * checked it against the registry; this check compares it with local/node-integrity.json.
 */
function checkNodeBinary() {
  const inside = read(join(modules, "node", "node_modules", ".package-lock.json"));
  const pinned = JSON.parse(read(join(root, "local", "node-integrity.json")) ?? "{}");
  const expected = pinned[installedNode()] ?? {};
  for (const [path, { integrity }] of Object.entries(JSON.parse(inside ?? "{}").packages ?? {})) {
    const name = path.slice(path.lastIndexOf("/") + 1);
    if (expected[name] !== undefined && expected[name] !== integrity) {
      fs.rmSync(join(modules, "node"), { recursive: true, force: true });
      throw new SetupError(`${name} is not the package that local/node-integrity.json names.`);
    }
    if (expected[name] !== undefined) return;
  }
  process.stderr.write(
    `Node for ${process.platform}-${process.arch} is not in local/node-integrity.json: only npm has checked it.\n`,
  );
}

const isInstalled = () => installedNode() !== undefined && read(stampFile) === stamp();

/** Whether the owner of a lock has died or its heartbeat is stale. */
function holderIsGone(lock) {
  const [pid, host] = lock.text.split(" ");
  if (Date.now() - lock.at > staleMs) return true;
  if (host !== hostname()) return false;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return error.code === "ESRCH";
  }
}

function currentLock() {
  try {
    return { text: fs.readFileSync(lockFile, "utf8"), at: fs.statSync(lockFile).mtimeMs };
  } catch {
    return undefined;
  }
}

/** A lock with a heartbeat: a second setup in the same checkout waits, and usually finds everything installed. */
async function takeLock() {
  const mine = `${process.pid} ${hostname()} ${Date.now()}`;
  let hasReported = false;
  for (;;) {
    try {
      fs.mkdirSync(state, { recursive: true });
      fs.writeFileSync(lockFile, mine, { flag: "wx" });
      const beat = setInterval(() => {
        const now = new Date();
        fs.utimes(lockFile, now, now, () => {});
      }, heartbeatMs);
      return () => {
        clearInterval(beat);
        if (read(lockFile) === mine) fs.rmSync(lockFile, { force: true });
      };
    } catch (error) {
      if (error.code === "EACCES" || error.code === "EROFS" || error.code === "EPERM") {
        throw new SetupError(`Packages are missing, and this user cannot write to ${modules}.`);
      }
      if (error.code !== "EEXIST") throw error;
    }
    const lock = currentLock();
    if (lock && lock.text !== "" && holderIsGone(lock)) {
      // Renaming lets only one of several waiting processes remove an abandoned lock.
      const abandoned = `${lockFile}.${process.pid}`;
      try {
        fs.renameSync(lockFile, abandoned);
        if (read(abandoned) !== lock.text) fs.linkSync(abandoned, lockFile);
        fs.rmSync(abandoned, { force: true });
      } catch (error) {
        if (error.code !== "ENOENT" && error.code !== "EEXIST") throw error;
      }
      continue;
    }
    if (!hasReported)
      process.stderr.write("Waiting for another setup of this checkout to finish.\n");
    hasReported = true;
    await sleep(300);
  }
}

/** Runs a command with its output in the log; an error shows the end of the log. */
async function logged(command, args, env, what) {
  const log = fs.openSync(logFile, "a");
  fs.writeSync(log, `\n$ ${command} ${args.join(" ")}\n`);
  const child = spawn(command, args, { cwd: root, env, stdio: ["ignore", log, log] });
  const forward = (signal) => child.kill(signal);
  process.on("SIGINT", forward);
  process.on("SIGTERM", forward);
  let failure;
  try {
    const [code, signal] = await once(child, "exit");
    if (signal !== null || code > 128) stoppedBy = signal ?? "SIGINT";
    if (code !== 0) failure = `ended with ${signal ?? code}`;
  } catch (error) {
    failure = error.code === "ENOENT" ? `${command} was not found` : error.message;
  } finally {
    process.off("SIGINT", forward);
    process.off("SIGTERM", forward);
    fs.closeSync(log);
  }
  if (failure === undefined) return;
  const end = (read(logFile) ?? "").trimEnd().split("\n").slice(-40).join("\n");
  throw new SetupError(`${end}\n\n${what} failed: ${failure}. The whole log is ${logFile}.`);
}

let stoppedBy;

async function npmInstall() {
  const args = [
    "install",
    // The lock file stays as committed, whatever this machine's registry would add to it.
    "--no-save",
    "--include=dev",
    "--include=optional",
    "--no-audit",
    "--no-fund",
    "--loglevel=warn",
  ];
  const cli = process.env.npm_execpath;
  const env = { ...environment, npm_config_dry_run: "", npm_config_global: "" };
  delete env.npm_config_dry_run;
  delete env.npm_config_global;
  const running = installedNode() === undefined ? process.execPath : node;
  if (cli !== undefined && /npm-cli\.[cm]?js$/.test(cli) && fs.existsSync(cli)) {
    await logged(running, [cli, ...args], env, "npm install");
  } else {
    await logged("npm", args, env, "npm install");
  }
}

async function install() {
  if (isInstalled()) return;
  const release = await takeLock();
  const startedAt = Date.now();
  let progress;
  try {
    if (isInstalled()) return;
    fs.rmSync(stampFile, { force: true });
    fs.writeFileSync(logFile, "");
    process.stderr.write("Installing packages (once, about a minute) ...\n");
    progress = setInterval(() => {
      const seconds = Math.round((Date.now() - startedAt) / 1000);
      process.stderr.write(`Still installing packages, for ${seconds} s; the log is ${logFile}\n`);
    }, 10_000);
    // npm selects optional native packages by the Node it runs on. An install under another Node leaves some
    // out, so it is repeated under the Node just installed.
    for (let attempt = 0; attempt < 2; attempt++) {
      const before = installedNode();
      await npmInstall();
      if (before !== undefined && before === installedNode()) break;
    }
    if (installedNode() === undefined) {
      throw new SetupError(
        `npm installed no Node for ${process.platform}-${process.arch}. Are install scripts switched off (npm config get ignore-scripts)?`,
      );
    }
    checkNodeBinary();
    if (fs.existsSync(driverGuard)) {
      await logged(node, [driverGuard], environment, "The patch of the database driver");
    }
    fs.writeFileSync(stampFile, stamp());
  } finally {
    clearInterval(progress);
    release();
  }
}

async function run(script, args) {
  const child = spawn(node, [script, ...args], { env: environment, stdio: "inherit" });
  // A terminal signals the script as well; a script that minds treats two signals at once as one.
  for (const signal of forwarded) process.on(signal, () => child.kill(signal));
  // A killed npm cannot forward a signal, so the script stops once npm is gone.
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === parent || !process.env.npm_lifecycle_event) return;
    clearInterval(watch);
    child.kill("SIGTERM");
  }, 1000);
  const [code, signal] = await once(child, "exit");
  clearInterval(watch);
  if (signal === null) return code;
  for (const name of forwarded) process.removeAllListeners(name);
  process.kill(process.pid, signal);
  await sleep(1000);
  return 1;
}

const [script, ...args] = process.argv.slice(2);
try {
  if (script === undefined)
    throw new SetupError("Usage: node local/setup.mjs <script> [arguments]");
  await install();
  process.exitCode = await run(resolve(root, script), args);
} catch (error) {
  if (!(error instanceof SetupError)) throw error;
  if (stoppedBy === undefined) process.stderr.write(`${error.message}\n`);
  process.exitCode = stoppedBy === undefined ? 1 : 130;
}
