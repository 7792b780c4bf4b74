import { execFile } from "node:child_process";
import { readdirSync } from "node:fs";
import { promisify } from "node:util";
import { read } from "./procfs.ts";

export interface ProcessMemory {
  pid: number;
  parent: number;
  /** Bytes that belong to this process: anonymous and shared memory, not mapped files. */
  bytes: number;
  /** The most that it ever had, where the system tells. */
  peakBytes: number;
}

const run = promisify(execFile);

/**
 * The process `root` and all its descendants. `parents` carries what is known from one look to the next, so that a
 * later look reads only the processes of the tree: a machine may have many others.
 */
export async function processTree(
  root: number,
  parents: Map<number, number> = new Map(),
): Promise<ProcessMemory[]> {
  if (process.platform !== "linux") return treeOf(root, await fromPs());
  renewParents(parents);
  const all = [...parents].map(([pid, parent]) => ({ pid, parent }));
  return treeOf(root, all).flatMap(({ pid }) => memoryOf(pid) ?? []);
}

function treeOf<Entry extends { pid: number; parent: number }>(
  root: number,
  all: readonly Entry[],
): Entry[] {
  const children = Map.groupBy(all, (entry) => entry.parent);
  const tree = all.filter((entry) => entry.pid === root);
  for (const entry of tree) tree.push(...(children.get(entry.pid) ?? []));
  return tree;
}

/** Adds new processes and drops ended ones. The parent of a process changes only when that parent has ended. */
function renewParents(parents: Map<number, number>): void {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  const alive = new Set(pids.map(Number));
  for (const pid of parents.keys()) if (!alive.has(pid)) parents.delete(pid);
  for (const pid of alive) {
    const parent = parents.get(pid);
    if (parent !== undefined && (parent === 0 || alive.has(parent))) continue;
    const memory = memoryOf(pid);
    if (memory) parents.set(pid, memory.parent);
  }
}

function memoryOf(pid: number): ProcessMemory | undefined {
  const status = read(`/proc/${pid}/status`);
  if (status === undefined) return undefined;
  const field = (name: string) =>
    Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(status)?.[1] ?? 0);
  const bytes = (field("RssAnon") + field("RssShmem")) * 1024;
  const peakBytes = Math.max(bytes, (field("VmHWM") - field("RssFile")) * 1024);
  return { pid, parent: field("PPid"), bytes, peakBytes };
}

async function fromPs(): Promise<ProcessMemory[]> {
  const { stdout } = await run("ps", ["-axo", "pid=,ppid=,rss="]);
  return stdout
    .trim()
    .split("\n")
    .map((line) => line.trim().split(/\s+/).map(Number))
    .map(([pid = 0, parent = 0, rss = 0]) => ({ pid, parent, bytes: rss * 1024 }))
    .map((one) => ({ ...one, peakBytes: one.bytes }));
}
