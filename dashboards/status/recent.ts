/** Counters whose increase within the last hour tells of a trouble. */
const watched = "gateway_operator_alerts_total";
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

/** Follows counters for an hour, minute by minute, from the start of the process on. */
export class RecentRefusals {
  #looks: Look[] = [];

  note(totals: Readonly<Record<string, string>>, now: number): void {
    const last = this.#looks.at(-1);
    const counts = new Map<string, number>();
    for (const [field, value] of Object.entries(totals)) {
      if (field.startsWith(`["${watched}"`)) counts.set(field, Number(value));
    }
    // The newest look is replaced until it is a minute after the one before it.
    if (last && this.#looks.length > 1 && now - (this.#looks.at(-2) as Look).at < minuteMs) {
      this.#looks.pop();
    }
    this.#looks = [...this.#looks.filter(({ at }) => now - at <= keptMs), { at: now, counts }];
  }

  list(): Refusal[] {
    const found = new Map<string, Refusal>();
    for (const [index, { at, counts }] of this.#looks.entries()) {
      const before = this.#looks[index - 1];
      if (!before) continue;
      for (const [field, value] of counts) {
        const earlier = before.counts.get(field) ?? 0;
        const risen = value >= earlier ? value - earlier : value;
        if (risen === 0) continue;
        const [, upstream = "", reason = ""] = JSON.parse(field) as string[];
        const one = found.get(field) ?? { upstream, reason, times: 0, since: at };
        found.set(field, { ...one, times: one.times + risen });
      }
    }
    return [...found.values()];
  }
}
