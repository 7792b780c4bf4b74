import type { AdoptedJob, JobStore } from "../../db/jobs.ts";
import type { Services } from "../call.ts";
import { Uncarried } from "../uncarried.ts";

interface Owner {
  readonly owner: string;
  readonly store: Pick<JobStore, "assigned" | "uncarried">;
  readonly services: Pick<Services, "doubts">;
  readonly carried: ReadonlyMap<string, unknown>;
}

/** Jobs that one look compares; every second look continues behind them. */
const comparedAtOnce = 1000;

/** Finds jobs of this process that it does not carry out. */
export class UncarriedJobs {
  readonly #jobs: Owner;
  readonly #uncarried = new Uncarried();
  readonly #takingOver = new Set<string>();
  #after = "";
  /** A job is confirmed by two looks in a row. */
  #isSecond = false;

  constructor(jobs: Owner) {
    this.#jobs = jobs;
  }

  assigning<T>(step: () => Promise<T>): Promise<T> {
    return this.#uncarried.assigning(step);
  }

  /** Takes a job over; until then no look finds the job. */
  async takingOver(requestId: string, step: () => Promise<void>): Promise<void> {
    if (this.#takingOver.has(requestId)) return;
    this.#takingOver.add(requestId);
    await step().finally(() => this.#takingOver.delete(requestId));
  }

  async look(): Promise<AdoptedJob[]> {
    const { owner, store } = this.#jobs;
    const ids = await store.assigned(owner, this.#after, comparedAtOnce);
    if (this.#isSecond) this.#after = ids.length === comparedAtOnce ? (ids.at(-1) as string) : "";
    this.#isSecond = !this.#isSecond;
    const left = this.#uncarried.confirmed(ids.filter((id) => !this.#isKnown(id)));
    return left.size === 0 ? [] : store.uncarried(owner, [...left]);
  }

  /** A job without the answer of its hand-in may be taken back. */
  #isKnown(id: string): boolean {
    const { carried, services } = this.#jobs;
    return carried.has(id) || this.#takingOver.has(id) || services.doubts.has(id);
  }
}
