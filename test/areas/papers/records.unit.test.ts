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
