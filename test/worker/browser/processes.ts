import { processTree } from "../../../worker/browser/chromium/process-tree.ts";
import { typeOf } from "../../../worker/browser/chromium/procfs.ts";
import { commandOf } from "../../soak/machine.ts";

export interface BrowserProcess {
  pid: number;
  /** The parent of the others. */
  isMain: boolean;
}

/** Processes of every browser below this process whose profile is in `folder`. */
export async function browserProcesses(folder: string): Promise<BrowserProcess[]> {
  const tree = await processTree(process.pid);
  const commands = new Map<number, string>();
  for (const { pid } of tree) commands.set(pid, await commandOf(pid));
  // A script that started the browser has its arguments too, and the browser as its child.
  const started = tree.filter(({ pid }) => {
    const command = commands.get(pid) ?? "";
    return command.includes(`--user-data-dir=${folder}`) && !command.includes("--type=");
  });
  const isCopy = (pid: number, parent: number) => commands.get(pid) === commands.get(parent);
  const mains = started.filter(
    (main) =>
      // A started process is a copy of its parent for a moment, until it runs its own program.
      !isCopy(main.pid, main.parent) &&
      !started.some(({ pid, parent }) => parent === main.pid && !isCopy(pid, parent)),
  );
  const belongs = new Set(mains.map(({ pid }) => pid));
  for (const { pid, parent } of tree) if (belongs.has(parent)) belongs.add(pid);
  return [...belongs].map((pid) => ({ pid, isMain: mains.some((main) => main.pid === pid) }));
}

/** Main processes, one for each browser. */
export async function mainProcesses(folder: string): Promise<number[]> {
  const all = await browserProcesses(folder);
  return all.filter(({ isMain }) => isMain).map(({ pid }) => pid);
}

/** Processes below `root` that draw pages. */
export async function renderersBelow(root: number): Promise<number[]> {
  const tree = await processTree(root);
  return tree.map(({ pid }) => pid).filter((pid) => typeOf(pid) === "renderer");
}
