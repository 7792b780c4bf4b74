import { expect, test } from "vitest";
import { normalDoi, normalWorkId } from "../../../contract/areas/papers/ids.ts";
import type { CursorPayload } from "../../../contract/cursor.ts";
import { GatewayError } from "../../../contract/errors.ts";
import { operations } from "../../../contract/index.ts";
import { literalWords } from "../../../worker/mapping/literal-words.ts";
import type { Outbound } from "../../../worker/run.ts";
import { createSandbox } from "../../../worker/sandbox/sandbox.ts";
import { samples } from "../../../worker/sandbox/samples.ts";
import type { UpstreamRequest } from "../../../worker/transport/upstream.ts";
import { europePmc } from "../../../worker/upstreams/europe-pmc/client.ts";
import { semanticScholar } from "../../../worker/upstreams/semantic-scholar/client.ts";
import { unpaywall } from "../../../worker/upstreams/unpaywall/client.ts";
import { doiUrl } from "../../../worker/areas/papers/work.map.ts";
import { expectValues, refusal } from "../input.ts";
import { play as playOperation, type Answered } from "../../operations/play.ts";
import { play, playToEnd } from "../play.ts";

type Sent = UpstreamRequest & { upstream: string };

/** Runs a call on the samples and lists its requests; `missing` upstreams know nothing. */
async function run(id: string, given: Record<string, unknown>, missing: readonly string[] = []) {
  const op = operations.get(id);
  if (!op) throw new Error(id);
  const sent: Sent[] = [];
  const sandbox = createSandbox(samples);
  const outbound: Outbound = {
    ...sandbox,
    async send(upstream, request, call) {
      sent.push({ upstream: upstream.name, ...request });
      if (missing.includes(upstream.name)) throw new GatewayError("not_found", "none");
      return sandbox.send(upstream, request, call);
    },
  };
  const input = op.input.parse(given) as Record<string, unknown>;
  const played = await playOperation(op, input, { outbound });
  return { played, sent, data: (played as Answered).data };
}

const doi = "10.5555/sample.2024.17";

test("ids of a work have one normal form, and a wrong one is refused before anything is sent", () => {
  expect(normalDoi(" https://dx.doi.org/10.1038/NPHYS1170 ")).toBe("10.1038/nphys1170");
  expect(normalDoi("doi:10.1038/Nphys1170")).toBe("10.1038/nphys1170");
  expect(normalWorkId("arXiv:2101.00001v3")).toBe("10.48550/arxiv.2101.00001");
  expect(normalWorkId("https://arxiv.org/abs/hep-th/9901001")).toBe(
    "10.48550/arxiv.hep-th/9901001",
  );
  for (const old of ["arXiv:math.GT/0309136", "https://arxiv.org/pdf/math/0309136v2.pdf"])
    expect(normalWorkId(old), old).toBe("10.48550/arxiv.math/0309136");
  expect(normalWorkId("http://www.arxiv.org/pdf/2101.00001v2.pdf")).toBe(
    "10.48550/arxiv.2101.00001",
  );
  // An address has escapes, as records have them in `url`; a bare DOI has none.
  const sici = "10.1002/(sici)1097-0258(19980815)17:15<1661::aid-sim968>3.0.co;2-2";
  expect(normalDoi(doiUrl(sici))).toBe(sici);
  // Its query and fragment are no part of the DOI, which may have such signs of its own.
  for (const more of ["", "?utm_source=a&b=1/2", "#top", "?a#b"])
    expect(normalDoi(`https://doi.org/10.1002%2FABC${more}`), more).toBe("10.1002/abc");
  const signs = "10.1002/a?b#c%d";
  expect(doiUrl(signs)).toBe("https://doi.org/10.1002/a%3Fb%23c%25d");
  expect([normalDoi(signs), normalDoi(doiUrl(signs))]).toEqual([signs, signs]);
  expect(normalDoi("https://doi.org/10.1002/a%zz")).toBe("10.1002/a%zz");
  expect(normalDoi("10.1002/a%3Cb")).toBe("10.1002/a%3cb");
  expect(normalWorkId("PMID: 123")).toBe("pmid:123");
  expect(normalWorkId("pmc99")).toBe("pmcid:PMC99");
  expectValues(
    "papers.works.get",
    "id",
    ["10.1002/(SICI)1097-0258(19980815)17:15<1661::AID-SIM968>3.0.CO;2-2", "10.1000.10/123"],
    [
      "nothing",
      "10.1/x",
      "10.1234/",
      "10.1234/../x",
      "10.1234/a%2fb",
      "pmid:x",
      "10.1234/a b",
      "https://doi.org/10.1234/%2e%2e/x",
      "https://doi.org/10.1234/a%252fb",
    ],
  );
  expect(refusal("papers.works.get", {}, "id=nothing")).toBe("invalid_id");
  expectValues("papers.works.references", "id", [doi], ["pmid:123"]);
});

test("other ids take their usual spellings", () => {
  const parsed = (id: string, field: string, value: string) =>
    operations.get(id)?.input.safeParse({ [field]: value }).data?.[field];
  expect(parsed("papers.authors.get", "orcid", "orcid:0000-0002-1694-233x")).toBe(
    "0000-0002-1694-233X",
  );
  expect(parsed("papers.institutions.get", "ror_id", "ROR:05DXPS055")).toBe("05dxps055");
  expect(parsed("papers.journals.get", "issn", "1234567x")).toBe("1234-567X");
});

test("papers surprise 1: a DOI that Crossref does not know is looked up at DataCite", async () => {
  const known = await run("papers.works.get", { id: doi });
  expect(known.sent.map((one) => one.upstream)).toEqual(["crossref"]);
  const other = await run("papers.works.get", { id: doi }, ["crossref"]);
  expect(other.sent.map((one) => one.upstream)).toEqual(["crossref", "datacite"]);
  expect(other.data).toMatchObject({ id: doi, type: "dataset" });
  const arxiv = await run("papers.works.get", { id: "arXiv:2101.00001v2" });
  expect(arxiv.sent).toMatchObject([
    { upstream: "datacite", path: "/dois/10.48550%2Farxiv.2101.00001" },
  ]);
  expect(arxiv.data).toMatchObject({
    arxiv_id: "2101.00001",
    type: "preprint",
    pdf_url: "https://arxiv.org/pdf/2101.00001",
  });
  const none = await run("papers.works.get", { id: doi }, ["crossref", "datacite"]);
  expect(none.played).toMatchObject({ ok: false, type: "not_found" });
});

test("papers surprise 5: lists use offsets, stay below 10,000, and let `limit` change", async () => {
  const first = await run("papers.search", {
    q: "x",
    type: "conference-paper",
    from_date: "2020-01-01",
    sort: "most_cited",
    limit: 7,
  });
  expect(first.sent[0]?.query).toEqual({
    query: "x",
    filter: "type:proceedings-article,from-pub-date:2020-01-01",
    sort: "is-referenced-by-count",
    order: "desc",
    rows: 7,
    offset: 0,
  });
  expect((first.played as Answered).pagination?.next).toEqual({ u: { offset: 7, size: 7 } });
  const rows = (await playToEnd<{ id: string }>("papers.search", { q: "x", limit: 60 })).flat();
  expect(new Set(rows.map((row) => row.id)).size).toBe(140);
});

test("papers surprise 8: citations follow `next`, and the last page has none", async () => {
  const pages = await playToEnd("papers.works.citations", { id: doi, limit: 50 });
  expect(pages.map((page) => page.length)).toEqual([50, 50, 20]);
  for (const [id, path] of [
    [doi, "DOI%3A10.5555%2Fsample.2024.17"],
    ["arXiv:2101.00001", "ARXIV%3A2101.00001"],
    ["pmid:12", "PMID%3A12"],
    ["PMC34", "PMCID%3A34"],
  ] as const) {
    const { sent } = await run("papers.works.citations", { id, limit: 1 });
    expect(sent[0]?.path).toBe(`/graph/v1/paper/${path}/citations`);
  }
  const judged = { headers: {}, status: 429, body: { message: "Too Many Requests" } };
  expect(semanticScholar.judge(judged)).toMatchObject({
    type: "upstream_unavailable",
    retry: true,
  });
});

test("papers surprise 9: ROR's pages have a number and 20 rows", async () => {
  const { sent } = await run("papers.institutions.search", { q: "a:b", limit: 45 });
  expect(sent.map((one) => one.query)).toEqual([1, 2, 3].map((page) => ({ query: "a\\:b", page })));
});

test("DataCite's pages have a number, and the size of the first one", async () => {
  const { sent } = await run("papers.datasets.search", { q: "x", limit: 7 });
  expect(sent[0]?.query).toMatchObject({ "page[size]": 7, "page[number]": 1 });
  const rows = await playToEnd<{ id: string }>("papers.datasets.search", { q: "x", limit: 50 });
  expect(rows.map((page) => page.length)).toEqual([50, 50, 30]);
});

test("DataCite's pages reach the last row that it shows, whatever the size of the first one", async () => {
  const op = operations.get("papers.datasets.search");
  if (!op) throw new Error("no such operation");
  for (const limit of [30, 70, 97]) {
    let reached = 0;
    const outbound: Outbound = {
      fetchFor: () => fetch,
      async send(_upstream, { query }) {
        const [size, page] = [Number(query?.["page[size]"]), Number(query?.["page[number]"])];
        reached = Math.max(reached, page * size);
        const data = Array.from({ length: size }, (_, index) => ({
          id: `10.5555/${(page - 1) * size + index}`,
          attributes: { doi: `10.5555/${(page - 1) * size + index}`, titles: [{ title: "T" }] },
        }));
        return { status: 200, headers: {}, body: { data, meta: { total: 25_000 } } };
      },
    };
    // The first page that the source's bound cuts, and the one before.
    const offset = 10_000 - (10_000 % limit) - limit;
    const ids: string[] = [];
    let cursor: CursorPayload | undefined = { u: { offset, size: limit } };
    while (cursor) {
      const part = await playOperation(op, op.input.parse({ q: "x" }) as never, {
        cursor,
        outbound,
      });
      const { data, pagination } = part as Answered;
      ids.push(...(data as { id: string }[]).map(({ id }) => id));
      cursor = pagination?.next;
    }
    const wanted = Array.from({ length: 10_000 - offset }, (_, at) => `10.5555/${offset + at}`);
    expect(ids, String(limit)).toEqual(wanted);
    expect(reached).toBe(10_000);
  }
});

test("papers surprise 10: Europe PMC looks up both ids, and knows none with status 200", async () => {
  for (const [id, query] of [
    ["pmid:123", "EXT_ID:123 AND SRC:MED"],
    ["PMC45", "PMCID:PMC45"],
  ]) {
    const { sent, data } = await run("papers.works.get", { id });
    expect(sent).toMatchObject([{ upstream: "europe-pmc", query: { query } }]);
    const shape = operations.get("papers.works.get")?.data.safeParse(data);
    expect(shape?.success).toBe(true);
  }
  const op = operations.get("papers.works.get");
  const none = await playOperation(op as never, { id: "pmid:1" }, { scenario: "empty" });
  expect(none).toMatchObject({ ok: false, type: "not_found" });
  const fault = { status: 200, headers: {}, body: { version: "6.9", errMsg: "no" } };
  expect(europePmc.judge(fault)).toMatchObject({ ok: false, type: "upstream_error" });
});

test("papers surprise 11: an e-mail address that Unpaywall refuses is the operator's matter", () => {
  expect(unpaywall.judge({ status: 422, headers: {}, body: {} })).toMatchObject({
    type: "upstream_unavailable",
    operator: "contact refused",
  });
  expect(unpaywall.contact).toEqual({ required: true, query: "email" });
});

test("words of a caller are no query language", () => {
  expect(literalWords("NOT FOUND AND OR-GATE OR")).toBe("not FOUND and OR\\-GATE or");
  expect(literalWords('a:b "c" (d) <e> f/g *')).toBe('a\\:b \\"c\\" \\(d\\)  e  f\\/g \\*');
  expect(() => literalWords("<>", "artist")).toThrow("artist: must contain words");
});

test("view `summary` leaves out what is long", async () => {
  const [full, summary] = await Promise.all(
    ["full", "summary"].map(async (view) => {
      const { data } = await run("papers.search", { q: "x", view, limit: 1 });
      return Object.keys((data as object[])[0] as object).sort();
    }),
  );
  const left = ["abstract", "funders", "license_url", "pdf_url", "subjects", "subtitle"];
  expect(full?.filter((name) => !summary?.includes(name))).toEqual(left);
});

test("a page that the balance cuts goes on at its first undelivered row, whatever the next limit", async () => {
  const ids = (played: unknown) =>
    ((played as Answered).data as { id: string }[]).map(({ id }) => id);
  const whole = ids(await play("papers.search", { q: "x", limit: 5 }));
  for (const id of ["papers.search", "papers.authors.search", "papers.works.citations"]) {
    const given = id === "papers.works.citations" ? { id: doi } : { q: "x" };
    const cut = (await play(id, { ...given, limit: 7 }, { maxRecords: 2 })) as Answered;
    expect(cut.pagination?.next).toEqual({ u: { offset: 0, size: 7 }, o: 2 });
  }
  const cursor = { u: { offset: 0, size: 7 }, o: 2 };
  expect(ids(await play("papers.search", { q: "x", limit: 1 }, { cursor }))).toEqual([whole[2]]);
});
