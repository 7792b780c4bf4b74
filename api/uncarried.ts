/**
 * Finds work that the database has assigned to this process and that this process does not carry out, because the
 * answer of the assigning statement was lost.
 */
export class Uncarried {
  readonly #assigning = new Set<symbol>();
  /** Work that the previous look found, by id, with the steps that may still bring it. */
  #seen = new Map<string, ReadonlySet<symbol>>();

  /** Runs a step that may assign work, up to the point where this process carries that work out. */
  async assigning<T>(step: () => Promise<T>): Promise<T> {
    const own = Symbol("step");
    this.#assigning.add(own);
    try {
      return await step();
    } finally {
      this.#assigning.delete(own);
    }
  }

  /**
   * Of the ids that a look found assigned and not carried out, those that the look before found as well and that no
   * step in flight can still bring.
   */
  confirmed(ids: readonly string[]): Set<string> {
    const before = this.#seen;
    const assigning = new Set(this.#assigning);
    this.#seen = new Map(ids.map((id) => [id, before.get(id) ?? assigning]));
    return new Set(ids.filter((id) => before.get(id)?.isDisjointFrom(assigning)));
  }
}
