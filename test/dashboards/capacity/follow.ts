import type { PoolAnswer } from "../../../dashboards/capacity/answer.ts";
import { type Memory, decideAll } from "../../../dashboards/capacity/decide.ts";
import { defaultSettings } from "../../../dashboards/capacity/settings.ts";
import type { Recording, Step } from "./samples.ts";

/** Continues a recording, with an answer for every 5 s of it as the dashboards give them. */
export function follow(recording: Recording, settings = defaultSettings()) {
  let memory: Partial<Record<string, Memory>> = {};
  return (count: number, step: Step): PoolAnswer[] =>
    Array.from({ length: count }, () => {
      const samples = recording.steps(1, step);
      const decided = decideAll(samples, settings, memory);
      memory = decided.memory;
      return decided.answer[recording.pool];
    });
}

export const last = (answers: PoolAnswer[]) => answers.at(-1) as PoolAnswer;
