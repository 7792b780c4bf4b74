import { describe, expect, test } from "vitest";
import { operations } from "../../../contract/index.ts";
import { doh } from "../../../worker/areas/security/samples/doh.ts";
import type { Sample, Samples } from "../../../worker/sandbox/sample.ts";
import { osv } from "../../../worker/sandbox/osv.ts";
import { doh as upstream } from "../../../worker/upstreams/doh/client.ts";
import { osv as osvUpstream } from "../../../worker/upstreams/osv/client.ts";
import { play } from "../play.ts";

const answering = (own: Samples, answers: Record<string, Sample>): Samples[] => [
  { ...own, answers: { ...own.answers, ...answers } },
];
const resolver = (body: unknown) => answering(doh, { "GET /dns-query": () => body });
const record = (type: number, data: string) => ({ name: "sample.example.", type, TTL: 60, data });

async function dnsOf(type: string, ...answer: unknown[]) {
  const samples = resolver({ Status: 0, AD: false, Answer: answer });
  const played = await play("security.dns.get", { name: "sample.example", type }, { samples });
  if (!played.ok) throw new Error(played.message);
  return (played.data as { records: unknown[] }).records;
}

describe("security surprises", () => {
  test("security surprise 1: the resolver's code is in the body of a 200", () => {
    const verdictOn = (Status: number) =>
      upstream.judge({ status: 200, headers: {}, body: { Status } });
    expect(verdictOn(0)).toEqual({ ok: true });
    expect(verdictOn(3)).toMatchObject({ ok: false, type: "not_found" });
    expect(verdictOn(5)).toMatchObject({ ok: false, type: "upstream_error" });
    expect(verdictOn(2)).toMatchObject({ type: "upstream_unavailable", unavailable: false });
  });

  test("security surprise 2: a name without records of a kind has no list, and costs nothing", async () => {
    const samples = resolver({ Status: 0, AD: true });
    const input = { name: "sample.example", type: "MX" };
    expect(await play("security.dns.get", input, { samples })).toMatchObject({
      ok: true,
      records: 0,
      data: { name: "sample.example", type: "MX", is_authenticated: true, records: [] },
    });
  });

  test.each([
    ['"v=spf1 include:mail.example " "-all"', "v=spf1 include:mail.example -all"],
    ['"a \\"quoted\\" word"', 'a "quoted" word'],
    ['"caf\\195" "\\169 \\092 \\\\195"', "café \\ \\195"],
    ["without quotes", "without quotes"],
  ])("security surprise 3: the text of a TXT record %s is in one piece", async (data, whole) => {
    expect(await dnsOf("TXT", record(16, data))).toEqual([
      { name: "sample.example", type: "TXT", ttl: 60, data: whole },
    ]);
  });

  test("security surprise 4: a list of ids that goes on is marked", async () => {
    const samples = answering(osv, {
      "POST /v1/querybatch": () => ({
        results: [{ vulns: [{ id: "GHSA-1" }], next_page_token: "2" }, {}],
      }),
    });
    const purls = ["pkg:npm/kit@1.0.0", "pkg:npm/other"];
    const played = await play("security.advisories.batch", { purls }, { samples });
    expect(played).toMatchObject({
      ok: true,
      records: 1,
      data: {
        packages: [
          { purl: purls[0], advisories: [{ id: "GHSA-1" }], is_complete: false },
          { purl: purls[1], advisories: [], is_complete: true },
        ],
      },
    });
  });
});

test("security: answers that lack a package do not fit", async () => {
  const samples = answering(osv, { "POST /v1/querybatch": () => ({ results: [{}] }) });
  const purls = ["pkg:npm/kit", "pkg:npm/other"];
  expect(await play("security.advisories.batch", { purls }, { samples })).toMatchObject({
    ok: false,
    type: "response_shape_error",
  });
});

test.each([{ vulns: {} }, { vulns: [{ id: 5 }] }, null])(
  "security: an entry %j that does not fit is no all-clear",
  async (entry) => {
    const samples = answering(osv, { "POST /v1/querybatch": () => ({ results: [entry] }) });
    const played = await play("security.advisories.batch", { purls: ["pkg:npm/kit"] }, { samples });
    expect(played).toMatchObject({
      data: { packages: [{ advisories: [], is_complete: false }] },
    });
  },
);

test("security: kinds of records have their names, unknown ones their numbers", async () => {
  const found = await dnsOf(
    "A",
    record(5, "front.example."),
    record(1, "192.0.2.1"),
    record(99, "x"),
  );
  expect(found).toMatchObject([{ type: "CNAME" }, { type: "A" }, { type: "TYPE99" }]);
});

test("security: the name of an IPv6 address has 34 parts", () => {
  const input = operations.get("security.dns.get")?.input;
  const name = `${"1.0.".repeat(16)}ip6.arpa`;
  expect(input?.safeParse({ name, type: "PTR" }).success).toBe(true);
  expect(input?.safeParse({ name: `${"a.".repeat(40)}a` }).success).toBe(false);
});

test("security: OSV's 400 is the caller's value", () => {
  const verdict = osvUpstream.judge({ status: 400, headers: {}, body: { message: "Invalid" } });
  expect(verdict).toMatchObject({ ok: false, type: "validation_error" });
});

test.each([
  ["pkg:npm/%40scope/kit@1.0.0", true],
  ["pkg:golang/code.example/kit", true],
  ["npm/kit", false],
  ["pkg:npm/kit?arch=x", false],
  ["pkg:npm/a b", false],
])("security: %s as a package URL: %s", (purl, isOne) => {
  const input = operations.get("security.advisories.by_package")?.input;
  expect(input?.safeParse({ purl }).success).toBe(isOne);
});
