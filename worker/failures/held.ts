import type { Heard } from "../transport/heard.ts";

/** Bounds of one call's answers, and of all running calls of this process. */
const mostAnswers = 40;
const mostCallBytes = 2 * 1024 * 1024;
const mostBytes = 32 * 1024 * 1024;

interface Held {
  answers: Map<string, Heard>;
  bytes: number;
  /** True once the call's answers are more than can be held. */
  isTooLarge: boolean;
}

/** Holds the answers of upstreams from the begin of a call to its end. */
export class HeldAnswers {
  readonly #held = new Map<string, Held>();
  #bytes = 0;

  begin(requestId: string): void {
    this.#held.set(requestId, { answers: new Map(), bytes: 0, isTooLarge: false });
  }

  hear(answer: Heard): void {
    const { requestId, incoming } = answer;
    const held = this.#held.get(requestId);
    if (!held || held.isTooLarge) return;
    // A later attempt at the same request replaces the earlier one.
    const question = `${answer.upstream} ${answer.question()}`;
    const before = held.answers.get(question)?.incoming.bytes.length ?? 0;
    const more = incoming.bytes.length - before;
    if (
      held.answers.size >= mostAnswers ||
      held.bytes + more > mostCallBytes ||
      this.#bytes + more > mostBytes
    ) {
      this.#bytes -= held.bytes;
      this.#held.set(requestId, { answers: new Map(), bytes: 0, isTooLarge: true });
      return;
    }
    held.answers.set(question, answer);
    held.bytes += more;
    this.#bytes += more;
  }

  /** The call's answers in the order of their requests' first answers; none where they were too large. */
  end(requestId: string): Heard[] {
    const held = this.#held.get(requestId);
    if (!held) return [];
    this.#held.delete(requestId);
    this.#bytes -= held.bytes;
    return [...held.answers.values()];
  }
}
