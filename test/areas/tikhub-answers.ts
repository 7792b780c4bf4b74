import { expect } from "vitest";
import type { Sample, SampleRequest, Samples } from "../../worker/sandbox/sample.ts";
import { play } from "./play.ts";

/** A TikHub with a test's answers: path -> content of `data`, or a function of the request. */
export function tikhubAnswers(answers: Record<string, unknown>): {
  samples: readonly Samples[];
  requests: SampleRequest[];
} {
  const requests: SampleRequest[] = [];
  const wrapped = Object.entries(answers).map(([path, answer]): [string, Sample] => [
    `GET ${path}`,
    (request) => {
      requests.push(request);
      const data: unknown = typeof answer === "function" ? answer(request) : answer;
      return { code: 200, request_id: "upstream-id", cache_url: "https://cache.example/1", data };
    },
  ]);
  const faults = {
    not_found: { status: 404, body: {} },
    upstream_error: { status: 400, body: {} },
    upstream_unavailable: { status: 503, body: {} },
  };
  return {
    samples: [{ upstream: "tikhub", answers: Object.fromEntries(wrapped), faults }],
    requests,
  };
}

/** Runs one call against these TikHub answers; its answer must keep the contract. */
export async function found(
  id: string,
  input: Record<string, unknown>,
  answers: Record<string, unknown>,
) {
  const { samples, requests } = tikhubAnswers(answers);
  const played = await play(id, input, { samples });
  expect(played.faults).toEqual([]);
  return { played, requests, data: (played.ok ? played.data : {}) as Record<string, unknown> };
}
