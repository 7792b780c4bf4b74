import { childrenOf, lowerPriority, threadsOf, typeOf } from "./procfs.ts";

/** Steps of a renderer behind the browser's own processes, which serve every page. */
const rendererNice = 5;

/**
 * Finds the renderers of browsers by the pids of the browsers. It looks for a browser's zygotes, which start the
 * renderers, only once and lowers their priority, which renderers inherit. A renderer that is just starting is a
 * copy of its zygote and still has that name.
 */
export class RendererFinder {
  readonly #zygotes = new Map<number, number[]>();
  readonly #renderers = new Set<number>();

  find(browserPids: readonly number[]): number[] {
    for (const pid of this.#zygotes.keys()) {
      if (!browserPids.includes(pid)) this.#zygotes.delete(pid);
    }
    const started = browserPids.flatMap((pid) => this.#startedIn(pid));
    for (const pid of this.#renderers) if (!started.includes(pid)) this.#renderers.delete(pid);
    for (const pid of started) {
      if (!this.#renderers.has(pid) && typeOf(pid) === "renderer") this.#renderers.add(pid);
    }
    return [...this.#renderers];
  }

  /** Processes that the zygotes of a browser have started. */
  #startedIn(browserPid: number): number[] {
    const known = this.#zygotes.get(browserPid);
    const zygotes = (known ?? zygotesBelow(browserPid)).filter((pid) => typeOf(pid) === "zygote");
    if (zygotes.length > 0) this.#zygotes.set(browserPid, zygotes);
    if (!known) for (const pid of zygotes) lowerPriority(threadsOf(pid), rendererNice);
    // A zygote has one thread, as a process must to be copied.
    return zygotes
      .flatMap((zygote) => childrenOf(zygote, [String(zygote)]))
      .filter((pid) => !zygotes.includes(pid));
  }
}

function zygotesBelow(parent: number): number[] {
  return childrenOf(parent)
    .filter((pid) => typeOf(pid) === "zygote")
    .flatMap((pid) => [pid, ...zygotesBelow(pid)]);
}
