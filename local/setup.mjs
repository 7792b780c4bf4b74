// `node local/setup.mjs <script> [arguments]`: installs what is missing, then runs the script on
// the Node the project brings along. Plain JavaScript without dependencies, because it is what runs
// before anything is installed, on whatever Node the machine has (20 or later).
// Nothing of it goes to standard output: that belongs to the script.
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
// npm leaves folders of node_modules whose name starts with a dot alone.
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
  // A third less processor time for every start; what changed is compiled anew. npm leaves it alone.
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

/** What is installed is right when this text has not changed since: lock, machine, Node, driver guard. */
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

/** Version of the Node in node_modules, undefined when it is absent. */
function installedNode() {
  if (!fs.existsSync(node)) return undefined;
  const text = read(join(modules, "node", "package.json"));
  return text === undefined ? undefined : JSON.parse(text).version;
}

/**
 * The package `node` fetches its binary as a package of its own, which the lock file does not know.
 * npm has compared it with what the registry says; here that is compared with what is in this folder.
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
    `Node for ${process.platform}-${process.arch} is not in local/node-integrity.json: it was checked by npm alone.\n`,
  );
}

const isInstalled = () => installedNode() !== undefined && read(stampFile) === stamp();

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

/** Two setups in one checkout: the second waits, and usually finds everything done. */
async function takeLock() {
  const mine = `${process.pid} ${hostname()} ${Date.now()}`;
  let said = false;
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
        throw new SetupError(
          `Packages have to be installed, but ${modules} cannot be written by this user.`,
        );
      }
      if (error.code !== "EEXIST") throw error;
    }
    const lock = currentLock();
    if (lock && lock.text !== "" && holderIsGone(lock)) {
      // Renaming lets only one of several waiters remove a lock left behind.
      const aside = `${lockFile}.${process.pid}`;
      try {
        fs.renameSync(lockFile, aside);
        if (read(aside) !== lock.text) fs.linkSync(aside, lockFile);
        fs.rmSync(aside, { force: true });
      } catch (error) {
        if (error.code !== "ENOENT" && error.code !== "EEXIST") throw error;
      }
      continue;
    }
    if (!said) process.stderr.write("Waiting for another setup of this checkout to finish.\n");
    said = true;
    await sleep(300);
  }
}

/** Runs a command with its output in the log; shows the end of the log when it fails. */
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
    // The lock file stays as committed, whatever this machine's registry adds to it.
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
  try {
    if (isInstalled()) return;
    fs.rmSync(stampFile, { force: true });
    fs.writeFileSync(logFile, "");
    process.stderr.write("Installing packages (once, about a minute) ...\n");
    // npm judges optional native packages by the Node it runs on. An install under another Node
    // than the project's own leaves some out, so it is repeated under the one just installed.
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
      await logged(node, [driverGuard], environment, "The database driver's guard");
    }
    fs.writeFileSync(stampFile, stamp());
  } finally {
    release();
  }
}

async function run(script, args) {
  const child = spawn(node, [script, ...args], { env: environment, stdio: "inherit" });
  // A terminal tells the script as well; whoever minds takes two signals at once for one.
  for (const signal of forwarded) process.on(signal, () => child.kill(signal));
  // npm killed outright cannot pass that on: without it nobody would be left to stop the script.
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
