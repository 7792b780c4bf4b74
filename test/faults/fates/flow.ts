import type { Caller } from "./caller.ts";

/** One use of the gateway whose round trips each get every fate. */
export interface Flow {
  name: string;
  /** Stops a process, so no other flow may run beside it. */
  isAlone?: boolean;
  /** Calls `watch` of its lane before the round trips that count; throws where an answer is untrue. */
  run(caller: Caller): Promise<void>;
}
