const minuteMs = 60_000;
const keptMs = 60 * minuteMs;

/** An upstream that refused the gateway for a reason that only the operator can mend. */
export interface Refusal {
  upstream: string;
  /** `credential`, `funds` or `quota`. */
  reason: string;
  times: number;
  /** Unix time in milliseconds of the minute in which the first of them was counted. */
  since: number;
}

interface Look {
  at: number;
  counts: Map<string, number>;
}

/** The increase of one counter with its labels. */
export interface Risen {
  labels: string[];
  by: number;
  /** Unix time in milliseconds of the minute in which it began. */
  since: number;
}

/** Follows a counter for an hour, minute by minute, from the start of the process on. */
export class RecentCounts {
  readonly #start: string;
  #looks: Look[] = [];

  constructor(metric: string) {
    this.#start = `["${metric}"`;
  }

  note(totals: Readonly<Record<string, string>>, now: number): void {
    const last = this.#looks.at(-1);
    const counts = new Map<string, number>();
    for (const [field, value] of Object.entries(totals)) {
      if (field.startsWith(this.#start)) counts.set(field, Number(value));
    }
    // The newest look is replaced until it is a minute after the one before it.
    if (last && this.#looks.length > 1 && now - (this.#looks.at(-2) as Look).at < minuteMs) {
      this.#looks.pop();
    }
    this.#looks = [...this.#looks.filter(({ at }) => now - at <= keptMs), { at: now, counts }];
  }

  /** Unix time in milliseconds from which on increases are known. */
  get since(): number | undefined {
    return this.#looks[0]?.at;
  }

  list(): Risen[] {
    const found = new Map<string, Risen>();
    for (const [index, { at, counts }] of this.#looks.entries()) {
      const before = this.#looks[index - 1];
      if (!before) continue;
      for (const [field, value] of counts) {
        const earlier = before.counts.get(field) ?? 0;
        const risen = value >= earlier ? value - earlier : value;
        if (risen === 0) continue;
        const one = found.get(field);
        if (one) one.by += risen;
        else {
          const [, ...labels] = JSON.parse(field) as string[];
          found.set(field, { labels, by: risen, since: at });
        }
      }
    }
    return [...found.values()];
  }
}

/** Follows the refusals of the operator's accounts. */
export class RecentRefusals {
  readonly #counts = new RecentCounts("gateway_operator_alerts_total");

  note(totals: Readonly<Record<string, string>>, now: number): void {
    this.#counts.note(totals, now);
  }

  list(): Refusal[] {
    return this.#counts.list().map(({ labels: [upstream = "", reason = ""], by, since }) => ({
      upstream,
      reason,
      times: by,
      since,
    }));
  }
}
