import { childrenOf, lowerPriority, threadsOf, typeOf } from "./procfs.ts";

/** Steps of a renderer behind the browser's own processes, which serve every page. */
const rendererNice = 5;

/** How often the names of zygotes are read again. */
const checkEveryMs = 250;

interface Zygotes {
  pids: number[];
  checkedAt: number;
}

/**
 * Finds the renderers of browsers by the pids of the browsers. It looks for a browser's zygotes, which start the
 * renderers, only once and lowers their priority, which renderers inherit. A renderer that is just starting is a
 * copy of its zygote and still has that name, so one that starts meanwhile may count as a zygote for a moment.
 */
export class RendererFinder {
  readonly #zygotes = new Map<number, Zygotes>();
  /** Types of the processes that zygotes have started, once they have names of their own. */
  readonly #types = new Map<number, string>();

  find(browserPids: readonly number[]): number[] {
    for (const pid of this.#zygotes.keys()) {
      if (!browserPids.includes(pid)) this.#zygotes.delete(pid);
    }
    const started = new Set(browserPids.flatMap((pid) => this.#startedIn(pid)));
    for (const pid of this.#types.keys()) if (!started.has(pid)) this.#types.delete(pid);
    for (const pid of started) {
      const type = this.#types.get(pid) ?? typeOf(pid) ?? "zygote";
      if (type !== "zygote") this.#types.set(pid, type);
    }
    return [...this.#types].filter(([, type]) => type === "renderer").map(([pid]) => pid);
  }

  /** Processes that the zygotes of a browser have started. */
  #startedIn(browserPid: number): number[] {
    const pids = this.#zygotesOf(browserPid);
    // A zygote has one thread, as a process must to be copied.
    return pids
      .flatMap((zygote) => childrenOf(zygote, [String(zygote)]))
      .filter((pid) => !pids.includes(pid));
  }

  #zygotesOf(browserPid: number): number[] {
    const now = performance.now();
    const known = this.#zygotes.get(browserPid);
    if (known && now - known.checkedAt < checkEveryMs) return known.pids;
    const pids = (known?.pids ?? zygotesBelow(browserPid)).filter(
      (pid) => typeOf(pid) === "zygote",
    );
    if (pids.length === 0) this.#zygotes.delete(browserPid);
    else this.#zygotes.set(browserPid, { pids, checkedAt: now });
    if (!known) for (const pid of pids) lowerPriority(threadsOf(pid), rendererNice);
    return pids;
  }
}

function zygotesBelow(parent: number): number[] {
  return childrenOf(parent)
    .filter((pid) => typeOf(pid) === "zygote")
    .flatMap((pid) => [pid, ...zygotesBelow(pid)]);
}
