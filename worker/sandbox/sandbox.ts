import { GatewayError } from "../../contract/errors.ts";
import type { Call } from "../connector.ts";
import type { Outbound } from "../run.ts";
import { pathRule } from "./path-templates.ts";
import type { Samples } from "./sample.ts";
import type { Reply, Upstream, UpstreamRequest } from "../transport/upstream.ts";

/** The transport of test mode: sample answers in the upstream's wire format, judged like real ones. */
export function createSandbox(all: readonly Samples[]): Outbound {
  const byUpstream = new Map(all.map((samples) => [samples.upstream, compile(samples)]));

  function play(upstream: Upstream, request: UpstreamRequest, call: Pick<Call, "scenario">): Reply {
    const samples = byUpstream.get(upstream.name);
    if (!samples) throw new Error(`no samples of ${upstream.name}`);
    return samples.reply(request, call.scenario);
  }

  return {
    async send(upstream, request, call) {
      const reply = play(upstream, request, call);
      call.timeline?.tried({ upstream: upstream.name, waited: 0, took: 0, status: "sample" });
      const verdict = upstream.judge(reply);
      if (verdict.ok) return reply;
      throw new GatewayError(
        verdict.type,
        verdict.message,
        verdict.type === "upstream_unavailable" ? { retryAfter: verdict.retryAfter ?? 1 } : {},
      );
    },
    fetchFor: (upstream, call) => async (input, init) => {
      const request = new Request(input, init);
      const url = new URL(request.url);
      const text = request.method === "POST" ? await request.text() : "";
      call.timeline?.tried({ upstream: upstream.name, waited: 0, took: 0, status: "sample" });
      const { status, headers, body } = play(
        upstream,
        {
          method: request.method === "POST" ? "POST" : "GET",
          path: url.pathname,
          query: Object.fromEntries(url.searchParams),
          body: text ? (JSON.parse(text) as unknown) : undefined,
        },
        call,
      );
      return new Response(JSON.stringify(body), { status, headers });
    },
  };
}

function compile(samples: Samples) {
  const routes = Object.entries(samples.answers).map(([pattern, sample]) => {
    const [method, path] = pattern.split(" ") as [string, string];
    const names = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] as string);
    return { method, names, rule: pathRule(path), sample, headers: samples.headers?.[pattern] };
  });

  function answer(request: UpstreamRequest, scenario: Call["scenario"]) {
    for (const route of routes) {
      if (route.method !== request.method) continue;
      const found = route.rule.exec(request.path);
      if (!found) continue;
      const parts = Object.fromEntries(
        route.names.map((name, index) => [name, decodeURIComponent(found[index + 1] as string)]),
      );
      const asked = {
        ...request,
        parts,
        empty: scenario === "empty",
        secondPage: scenario === "second_page",
      };
      return { body: route.sample(asked), headers: route.headers?.(asked) ?? {} };
    }
    throw new Error(`no sample of ${samples.upstream} for ${request.method} ${request.path}`);
  }

  return {
    reply(request: UpstreamRequest, scenario: Call["scenario"]): Reply {
      const headers = { "content-type": "application/json" };
      switch (scenario) {
        case "not_found":
        case "upstream_error":
        case "upstream_unavailable":
          return { headers, ...samples.faults[scenario] };
        case "response_shape_error":
          return { status: 200, headers, body: undefined };
        default: {
          const { body, headers: more } = answer(request, scenario);
          return { status: 200, headers: { ...headers, ...more }, body };
        }
      }
    },
  };
}
