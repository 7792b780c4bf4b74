import { GatewayError } from "../../contract/errors.ts";
import type { Operation } from "../../contract/operation.ts";
import type { KeptAnswer, KeptCall } from "../../runtime/kept-answers.ts";
import type { Call } from "../connector.ts";
import type { Outbound } from "../run.ts";
import { type Asked, type Mapped, mapWith, type RawMapped, runWith } from "../stored-answers.ts";
import type { Incoming } from "../transport/exchange.ts";
import { fromFetch, questionOf } from "../transport/outgoing.ts";
import { readFetched, readJudged, toResponse } from "../transport/reading.ts";

/** Maps the kept answers of a call with today's code. Nothing is sent. */
export function replay(op: Operation, call: KeptCall, log: Call["log"]): Promise<Mapped> {
  return mapWith(op, askedIn(call), keptAnswers(call.answers), log);
}

/** Finds an answer that another call got to the same request. */
export type Elsewhere = (upstream: string, question: string) => KeptAnswer | undefined;

/**
 * Likewise, at the time at which the call ran, so that two versions of the code have the same now. A list that a
 * worker still had from an earlier call is `elsewhere`.
 */
export function replayAsThen(
  op: Operation,
  call: KeptCall,
  log: Call["log"],
  elsewhere: Elsewhere,
): Promise<RawMapped> {
  return runWith(op, { ...askedIn(call), at: call.at }, keptAnswers(call.answers, elsewhere), log);
}

const askedIn = ({ input, cursor, maxRecords }: KeptCall): Asked => ({
  input: input as Readonly<Record<string, unknown>>,
  cursor,
  maxRecords,
});

function keptAnswers(answers: readonly KeptAnswer[], elsewhere?: Elsewhere): Outbound {
  const used = new Set<KeptAnswer>();
  /** The answer to the same request; of one that today's code words otherwise, the next one to that address. */
  function answerTo(upstream: string, question: string): Incoming {
    const own = answers.filter((answer) => answer.upstream === upstream);
    const unused = own.filter((answer) => !used.has(answer));
    const found =
      own.find((answer) => answer.question === question) ??
      elsewhere?.(upstream, question) ??
      unused.find((answer) => addressOf(answer.question) === addressOf(question)) ??
      unused[0];
    if (!found) {
      throw new GatewayError(
        "upstream_unavailable",
        `Today's code sends a request to ${upstream} whose answer is not kept`,
      );
    }
    used.add(found);
    const { status, contentType, body } = found;
    const headers = { "content-type": contentType };
    const bytes = Buffer.from(body ?? "", "base64");
    return { status, headers, bytes, cut: body === undefined };
  }
  return {
    hasCredentials: async ({ name }) => answers.some(({ upstream }) => upstream === name),
    async send(upstream, request, call) {
      const incoming = answerTo(upstream.name, questionOf(request));
      const none = () => {};
      const read = readJudged(upstream, call.operation, incoming, Date.now(), none, none, request);
      if (!read.ok) throw read.fault.error;
      return read.value;
    },
    fetchFor: (upstream) => async (input, init) => {
      const { url, question } = await fromFetch(input, init);
      const read = readFetched(answerTo(upstream.name, question()), Date.now());
      if (!read.ok) throw read.fault.error;
      return toResponse(read.value, url);
    },
  };
}

/** Method and path or URL, with which each question begins. */
const addressOf = (question: string): string =>
  (JSON.parse(question) as unknown[]).slice(0, 2).join(" ");
