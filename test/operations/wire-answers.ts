import { operationsOf } from "../../contract/dependencies.ts";
import { provenances } from "../../contract/evidence.ts";
import { operations } from "../../contract/index.ts";
import type { Operation } from "../../contract/operation.ts";
import type { Outbound } from "../../worker/run.ts";
import type { Upstream } from "../../worker/transport/upstream.ts";
import { play, sandbox } from "./play.ts";
import { reachingInputs } from "./reaching-inputs.ts";

/** An answer of an upstream in its wire format, as an operation gets it in test mode. */
export interface WireAnswer {
  op: Operation;
  upstream: Upstream;
  method: string;
  path: string;
  body: object;
}

const isObject = (body: unknown): body is object => typeof body === "object" && body !== null;

/** Keeps the answers of one upstream. */
function keeping(name: string, op: Operation, kept: WireAnswer[]): Outbound {
  return {
    async send(upstream, request, call) {
      const reply = await sandbox.send(upstream, request, call);
      const { method, path } = request;
      if (upstream.name === name && isObject(reply.body))
        kept.push({ op, upstream, method, path, body: reply.body });
      return reply;
    },
    fetchFor: (upstream, call) => async (input, init) => {
      const request = new Request(input, init);
      const { method, url } = request;
      const response = await sandbox.fetchFor(upstream, call)(request);
      const body = (await response.clone().json()) as unknown;
      if (upstream.name === name && isObject(body))
        kept.push({ op, upstream, method, path: new URL(url).pathname, body });
      return response;
    },
    // A second choice is asked where the first has no credential.
    hasCredentials: async (upstream) => upstream.name === name,
  };
}

async function answerOf(name: string, op: Operation): Promise<WireAnswer | undefined> {
  const kept: WireAnswer[] = [];
  for (const input of reachingInputs(op)) {
    await play(op, input, { outbound: keeping(name, op, kept) });
    if (kept.length > 0) break;
  }
  return kept[0];
}

/**
 * Answers of every upstream, to at most `mostOfEach` of the operations that ask it, spread over all of these;
 * without those of more characters than `largest`.
 */
export async function wireAnswers(mostOfEach: number, largest = Infinity): Promise<WireAnswer[]> {
  const found: WireAnswer[] = [];
  for (const name of Object.keys(provenances)) {
    const ids = operationsOf(name);
    const step = Math.max(1, Math.floor(ids.length / mostOfEach));
    const chosen = ids.filter((_, index) => index % step === 0).slice(0, mostOfEach);
    for (const id of chosen) {
      const answer = await answerOf(name, operations.get(id) as Operation);
      if (answer && JSON.stringify(answer.body).length <= largest) found.push(answer);
    }
  }
  return found;
}
