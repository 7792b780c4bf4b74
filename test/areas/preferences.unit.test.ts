import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { operations } from "../../contract/index.ts";
import { GatewayError } from "../../contract/errors.ts";
import type { Outbound } from "../../worker/run.ts";
import type { Upstream } from "../../worker/transport/upstream.ts";
import { type Input, play, sandbox } from "../operations/play.ts";
import { inputOf, preferences } from "./preferences.ts";

const pairs = [...(await preferences())];

/** Samples of the named upstreams; the others are out of order. */
function only(names: readonly string[]): Outbound {
  const check = (upstream: Upstream) => {
    if (!names.includes(upstream.name))
      throw new GatewayError("upstream_unavailable", "out of order");
  };
  return {
    ...sandbox,
    async send(upstream, request, call) {
      check(upstream);
      return sandbox.send(upstream, request, call);
    },
    rests: {
      standing: async ({ name }) => (name === "x-app" ? "no_credentials" : "ready"),
      fared: () => undefined,
    },
  };
}

test("the document has the preference table of the code", () => {
  const text = readFileSync(new URL("../../docs/upstreams.md", import.meta.url), "utf8");
  const section = text.split("## A second upstream")[1] ?? "";
  const rows = [...section.matchAll(/^\| `([\w.]+)` +\| ([\w-]+) +\| ([\w-]+) +\|/gm)];
  expect(rows.map(([, operation, first, second]) => [operation, first, second])).toEqual(
    pairs.map(([operation, [first, second]]) => [operation, first.name, second.name]),
  );
});

test.each(pairs)(
  "%s answers in the same shape while one of its upstreams is down",
  async (id, row) => {
    const operation = operations.get(id);
    if (!operation) throw new Error(`no operation ${id}`);
    for (const source of row) {
      const names = source.forms.map(({ name }) => name);
      const played = await play(operation, operation.input.parse(inputOf(operation)) as Input, {
        outbound: only(names),
      });
      expect(played, source.name).toMatchObject({ ok: true, faults: [] });
      expect((played as { records: number }).records, source.name).toBeGreaterThan(0);
      const next = (played as { pagination?: { next?: { via?: string } } }).pagination?.next;
      if (next) expect(next.via).toBe(source.name);
    }
  },
);

test.each(pairs)(
  "%s turns to the other upstream on an answer of another shape",
  async (id, row) => {
    const operation = operations.get(id);
    if (!operation) throw new Error(`no operation ${id}`);
    const asked: string[] = [];
    const [preferred, other] = row.map(({ forms }) => forms.map(({ name }) => name));
    const outbound = only([...(preferred ?? []), ...(other ?? [])]);
    const played = await play(operation, operation.input.parse(inputOf(operation)) as Input, {
      outbound: {
        ...outbound,
        async send(upstream, request, call) {
          asked.push(upstream.name);
          if (!preferred?.includes(upstream.name)) return outbound.send(upstream, request, call);
          return { status: 200, headers: {}, body: { other: true } };
        },
      },
    });
    expect(played).toMatchObject({ ok: true, faults: [] });
    expect(preferred).toContain(asked[0]);
  },
);
