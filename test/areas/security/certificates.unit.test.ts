import { expect, test } from "vitest";
import { certificates } from "../../../worker/areas/security/certificates.map.ts";
import { crtSh } from "../../../worker/areas/security/samples/crtsh.ts";
import type { SampleRequest } from "../../../worker/sandbox/sample.ts";
import { play, playToEnd } from "../play.ts";

const row = (id: number, name_value: string) => ({
  id,
  name_value,
  issuer_name: "C=US, O=Sample",
  entry_timestamp: "2015-04-22T16:20:13.18",
  not_before: "2015-03-23T00:00:00",
});

test("security surprise 8: only the domain's own names of a certificate", () => {
  const body = [
    row(1, "*.sample.example\nSAMPLE.example\nother.example"),
    row(2, "sample.example.evil.example"),
    row(3, "notsample.example\nwww.sample.example\nwww.sample.example"),
  ];
  const names = (isBelow: boolean) =>
    certificates(body, "sample.example", isBelow).map((one) => [one.certificate_id, one.names]);
  expect(names(true)).toEqual([
    [3, ["www.sample.example"]],
    [1, ["*.sample.example", "sample.example"]],
  ]);
  expect(names(false)).toEqual([[1, ["sample.example"]]]);
});

test("security surprise 9: times in UTC, and pages of a list that comes whole", async () => {
  expect(certificates([row(1, "a.example")], "a.example", false)).toEqual([
    {
      certificate_id: 1,
      names: ["a.example"],
      issuer: "C=US, O=Sample",
      logged_at: "2015-04-22T16:20:13.18Z",
      valid_from: "2015-03-23T00:00:00Z",
      url: "https://crt.sh/?id=1",
    },
  ]);
  const input = { domain: "sample.example", limit: 20 };
  const pages = await playToEnd<{ certificate_id: number }>("security.certificates.search", input);
  expect(pages.map((page) => page.length)).toEqual([20, 10]);
  const ids = pages.flat().map(({ certificate_id }) => certificate_id);
  expect(ids).toEqual(ids.toSorted((one, other) => other - one));
});

test("security: a search for one name asks for that name, and for expired ones if wanted", async () => {
  const queries: SampleRequest["query"][] = [];
  const answers = {
    "GET /": ({ query }: SampleRequest) => {
      queries.push(query);
      return [];
    },
  };
  const samples = [{ ...crtSh, answers }];
  const ask = (more: object) =>
    play("security.certificates.search", { domain: "sample.example", ...more }, { samples });
  expect(await ask({})).toMatchObject({ ok: true, records: 0 });
  await ask({ include_subdomains: false, include_expired: true });
  expect(queries).toEqual([
    { q: "sample.example", match: "ILIKE", exclude: "expired", deduplicate: "Y", output: "json" },
    { q: "sample.example", match: "=", exclude: undefined, deduplicate: "Y", output: "json" },
  ]);
});
