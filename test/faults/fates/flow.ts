import type { Caller } from "./caller.ts";

/** One use of the gateway whose round trips each get every fate. */
export interface Flow {
  name: string;
  /** Round trips that processes also do by themselves, and that matter here. */
  also?: readonly string[];
  /** API processes behind one address; one unless it says otherwise. */
  processes?: 2;
  /** Mode of the caller's key; "test" unless it says otherwise. */
  mode?: "live";
  /** Calls `watch` of its lane before the round trips that count; throws where an answer is untrue. */
  run(caller: Caller): Promise<void>;
}
