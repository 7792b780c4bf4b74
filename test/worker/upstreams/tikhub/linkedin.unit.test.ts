import { expect, test } from "vitest";
import { getPage } from "../../../../worker/upstreams/tikhub/linkedin.ts";
import type { Reply, UpstreamRequest } from "../../../../worker/transport/upstream.ts";

const page = { url: "https://www.linkedin.com/company/x/", name: "x" };

test("professional-network surprise 1: a route that requires the name gets it from then on", async () => {
  const sent: (UpstreamRequest["query"] | undefined)[] = [];
  const call = {
    async send(upstream: { judge(reply: Reply): { ok: boolean } }, request: UpstreamRequest) {
      sent.push(request.query);
      const missing = request.query?.universal_name === undefined;
      const body = missing
        ? { detail: [{ loc: ["query", "universal_name"], msg: "Field required", type: "missing" }] }
        : { code: 200, data: { id: 1 } };
      const reply: Reply = { status: missing ? 422 : 200, headers: {}, body };
      expect(upstream.judge(reply)).toEqual({ ok: true });
      return reply;
    },
  };
  const body = { code: 200, data: { id: 1 } };
  expect(await getPage(call as never, "route_a", page, { start: 0 })).toEqual(body);
  expect(await getPage(call as never, "route_a", page)).toEqual(body);
  expect(sent).toEqual([
    { url: page.url, start: 0 },
    { universal_name: "x", start: 0 },
    { universal_name: "x" },
  ]);
});

test("professional-network surprise 1: another refusal is our fault, as before", async () => {
  const body = { detail: [{ loc: ["query", "start"], msg: "x", type: "int_parsing" }] };
  const call = {
    async send(upstream: { judge(reply: Reply): unknown }) {
      const reply: Reply = { status: 422, headers: {}, body };
      expect(upstream.judge(reply)).toMatchObject({ ok: false, type: "internal_error" });
      return reply;
    },
  };
  await getPage(call as never, "route_b", page);
  expect.assertions(1);
});
