import { expect, test } from "vitest";
import { orcid } from "../../../worker/upstreams/orcid/client.ts";
import { type Answer, ask } from "../answering.ts";

const [old, primary] = ["0000-0002-1825-0097", "0000-0001-5109-3700"];

test("papers surprise 18: ORCID's record that was merged into another is that one", async () => {
  const record = { "orcid-identifier": { path: primary }, group: [] };
  const stated = `This account is deprecated, ${old}. Please refer to account: https://orcid.org/${primary}`;
  const moved = { status: 301, body: { "error-code": 9007, "developer-message": stated } };
  const get = (id: string, answer: Answer) => ask(id, { orcid: old }, answer);
  const { played, asked } = await get("papers.authors.get", ({ path }) =>
    path.includes(primary) ? { body: record } : moved,
  );
  expect(played).toMatchObject({ ok: true, data: { orcid: primary } });
  expect(asked.map(({ path }) => path)).toEqual([`/${old}/record`, `/${primary}/record`]);
  const location = { location: `https://pub.orcid.org/v3.0/${primary}/works` };
  const works = await get("papers.authors.works", ({ path }) =>
    path.includes(primary) ? { body: record } : { ...moved, body: undefined, headers: location },
  );
  expect(works.played).toMatchObject({ ok: true, data: [] });
  const lost = await get("papers.authors.get", () => ({ status: 301, body: {} }));
  expect(lost.played).toMatchObject({ ok: false, type: "not_found" });
  const closed = { status: 409, headers: {}, body: { "error-code": 9044 } };
  expect(orcid.judge(closed)).toMatchObject({ type: "not_found" });
  expect(orcid.judge({ ...closed, status: 301 })).toMatchObject({ type: "not_found" });
});

test("papers surprise 19: a DOI that was replaced by another is that work", async () => {
  const [alias, prime] = ["10.3103/s0095-1", "10.1007/(s)119<1>"];
  const message = {
    DOI: prime,
    title: ["T"],
    reference: [{ key: "1", author: "Sample" }],
    "references-count": 1,
  };
  const location = "http://api.crossref.org/works/10.1007%2F(s)119%3C1%3E";
  const paths = [alias, prime].map((doi) => `/works/${encodeURIComponent(doi)}`);
  for (const [id, data] of [
    ["papers.works.get", { id: prime }],
    ["papers.works.references", [{ key: "1", author: "Sample" }]],
  ] as const) {
    const { played, asked } = await ask(id, { id: alias }, ({ path }) =>
      path === paths[1]
        ? { body: { message } }
        : { status: 301, headers: { location }, body: undefined },
    );
    expect(played, id).toMatchObject({ ok: true, data });
    expect(asked.map(({ path }) => path)).toEqual(paths);
  }
  for (const target of [location, "/works/nothing", "https://elsewhere.example/", ""]) {
    const circle = await ask("papers.works.references", { id: alias }, () => ({
      status: 301,
      headers: { location: target },
      body: {},
    }));
    expect(circle.played, target).toMatchObject({ ok: false, type: "not_found" });
  }
});
