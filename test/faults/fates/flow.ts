import type { Caller } from "./caller.ts";

/** One use of the gateway whose round trips each get every fate. */
export interface Flow {
  name: string;
  /** Round trips that processes also do by themselves, and that matter here. */
  also?: readonly string[];
  /** Calls `watch` of its lane before the round trips that count; throws where an answer is untrue. */
  run(caller: Caller): Promise<void>;
}
