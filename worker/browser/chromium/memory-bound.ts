/** Weight of a look at pages that are smaller than those before: the limiter's smoothing. */
const smoothing = 0.2;
/** Standard deviations by which the sum may exceed its mean: it stays below in 98 of 100 cases. */
const deviations = 2;

/**
 * Pages that memory allows, by the sizes of those seen: n pages of mean size m and deviation s take n m ± s √n
 * together. Larger pages count at once, smaller ones little by little.
 */
export class MemoryBound {
  #mean = 0;
  #variance = 0;
  /** Processes for each running page. */
  #processes = 1;

  /** Notes the pages of one look, of which `running` have a job. */
  note(pages: readonly number[], running: number): void {
    if (pages.length === 0 || running === 0) return;
    const mean = pages.reduce((sum, bytes) => sum + bytes, 0) / pages.length;
    const variance = pages.reduce((sum, bytes) => sum + (bytes - mean) ** 2, 0) / pages.length;
    const weight = mean > this.#mean ? 1 : smoothing;
    this.#mean += (mean - this.#mean) * weight;
    this.#variance += (variance - this.#variance) * weight;
    this.#processes += (Math.max(1, pages.length / running) - this.#processes) * smoothing;
  }

  /** Pages that fit into so many bytes; `Infinity` while none was seen. */
  most(bytes: number): number {
    if (this.#mean === 0) return Infinity;
    if (bytes <= 0) return 0;
    const spread = (deviations / 2) * Math.sqrt(this.#variance);
    const root = (Math.sqrt(spread ** 2 + this.#mean * bytes) - spread) / this.#mean;
    return root ** 2 / this.#processes;
  }
}
