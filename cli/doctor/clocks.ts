import { farMs, skewText } from "../../runtime/store-clock.ts";
import { gaugesOf, type PublishedProcess } from "../../runtime/processes.ts";
import { ok, warn } from "./check.ts";
import type { Check } from "./check.ts";

interface Skew {
  /** "api" or "worker", host name and pid. */
  process: string;
  store: string;
  ms: number;
}

/** The clock skews that the running API and worker processes have published. */
export const skewsOf = (processes: readonly PublishedProcess[]): Skew[] =>
  processes.flatMap((one) =>
    gaugesOf([one], "gateway_clock_skew_seconds").map(({ labels, value }) => {
      const [name = "", store = ""] = labels;
      return { process: `${one.role} ${name}`, store, ms: value * 1000 };
    }),
  );

export function checkClocks(skews: Skew[]): Check[] {
  const name = "clocks";
  const far = skews.filter(({ ms }) => Math.abs(ms) > farMs);
  if (far.length > 0) {
    const texts = far.map(({ process, store, ms }) => `${process} is ${skewText(ms, store)}`);
    return [
      warn(name, `${texts.join("; ")}. Calls still work: let NTP set these machines' clocks.`),
    ];
  }
  if (skews.length === 0) return [ok(name, "No process has reported.")];
  const most = Math.max(...skews.map(({ ms }) => Math.abs(ms)));
  return [ok(name, `The largest skew is ${(most / 1000).toFixed(1)} s.`)];
}
