import { operations } from "../../contract/index.ts";
import type { Operation } from "../../contract/operation.ts";
import type { Outbound } from "../../worker/run.ts";
import type { Reply, UpstreamRequest } from "../../worker/transport/upstream.ts";
import { play } from "../operations/play.ts";

export type Answer = (request: UpstreamRequest) => Partial<Reply>;

/** One call whose upstream answers as `answer` says, with status and headers, and the requests it made. */
export async function ask(id: string, input: object, answer: Answer) {
  const asked: UpstreamRequest[] = [];
  const outbound: Outbound = {
    async send(_upstream, request) {
      asked.push(request);
      return { status: 200, headers: {}, body: [], ...answer(request) };
    },
    fetchFor: () => fetch,
  };
  const op = operations.get(id) as Operation;
  const played = await play(op, op.input.parse(input) as Record<string, unknown>, { outbound });
  return { played, asked };
}
