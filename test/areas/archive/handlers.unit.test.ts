import { expect, test } from "vitest";
import { capturesOf, momentOf, nearest } from "../../../worker/areas/archive/captures.map.ts";
import { item, itemHit } from "../../../worker/areas/archive/items.map.ts";
import { internetArchive, wayback } from "../../../worker/upstreams/internet-archive/client.ts";
import { ShapeError } from "#wire";
import { ask } from "../answering.ts";

const row = (timestamp: string, rest = "text/html 200 D1 9") =>
  `${timestamp} http://a.example/ ${rest}`;
const reply = (status: number, body: unknown = {}) => ({ status, headers: {}, body });

test("archive surprise 1: lines, and the key of the next page", async () => {
  const key = "com%2Ca%29%2F+20010414000000%21";
  const body = `${row("20010410000000")}\n\n${key}\n`;
  expect(capturesOf(body)).toMatchObject({ captures: [{ status: 200, size: 9 }], next: key });
  const line = "20190706010203 https://b.example/x?y=1 application/pdf 404 ABC 1234";
  expect(capturesOf(line).captures).toEqual([
    {
      url: "https://b.example/x?y=1",
      captured_at: "2019-07-06T01:02:03Z",
      capture_url: "https://web.archive.org/web/20190706010203/https://b.example/x?y=1",
      raw_url: "https://web.archive.org/web/20190706010203id_/https://b.example/x?y=1",
      status: 404,
      content_type: "application/pdf",
      digest: "ABC",
      size: 1234,
    },
  ]);
  expect(capturesOf("")).toMatchObject({ captures: [], next: undefined });
  expect(capturesOf(`${row("20010410000000")}\nbad line\n`).captures).toHaveLength(1);
  expect(() => capturesOf("<html>")).toThrow(ShapeError);
  const { played, asked } = await ask(
    "archive.captures.list",
    { url: "a.example", from_date: "2001-04-10", status: 200, one_per: "day", limit: 2 },
    ({ query }) => ({ body: query?.resumeKey === undefined ? body : row("20010420000000") }),
  );
  expect(played).toMatchObject({ ok: true, records: 2 });
  expect(asked[0]?.query).toMatchObject({
    from: "20010410",
    collapse: "timestamp:8",
  });
  expect(asked[0]?.repeated).toEqual({ filter: ["statuscode:200"] });
  expect(asked[1]?.query).toMatchObject({ resumeKey: key });
});

test("archive surprise 8: captures alike are shown once, also on both sides of a page's end", async () => {
  const key = "com%2Ca%29%2F+20010410000001%21";
  const lines = ["20010409", "20010410", "20010410", "20010411"].map((day, index) =>
    row(`${day}00000${index}`, `text/html 200 D${day} 9 com,a)/`),
  );
  const shown = async (one_per: string) => {
    const { played } = await ask(
      "archive.captures.list",
      { url: "a.example", one_per, limit: 10 },
      ({ query }) => ({
        body:
          query?.resumeKey === undefined
            ? `${lines[0]}\n${lines[1]}\n\n${key}\n`
            : `${lines[2]}\n${lines[3]}\n`,
      }),
    );
    const rows = (played as { data: { captured_at: string }[] }).data;
    return rows.map(({ captured_at }) => captured_at.slice(8, 19));
  };
  const days = ["09T00:00:00", "10T00:00:01", "11T00:00:03"];
  expect(await shown("day")).toEqual(days);
  expect(await shown("content")).toEqual(days);
  expect(await shown("capture")).toHaveLength(4);
  for (const whole of ["month", "year", "page"]) {
    // The index itself would have left out the others.
    expect(await shown(whole), whole).toHaveLength(3);
  }
});

test("archive surprise 2: a site that is left out does not exist here", () => {
  expect(wayback.judge(reply(403))).toMatchObject({ type: "not_found" });
  expect(wayback.judge(reply(400))).toMatchObject({ type: "validation_error" });
  expect(wayback.judge(reply(200, null))).toMatchObject({ type: "response_shape_error" });
});

test("archive surprise 3: a repeated capture has no status", () => {
  const [capture] = capturesOf(row("20010410000000", "warc/revisit - D1 470")).captures;
  expect(capture).not.toHaveProperty("status");
  expect(capture).toMatchObject({
    captured_at: "2001-04-10T00:00:00Z",
    raw_url: "https://web.archive.org/web/20010410000000id_/http://a.example/",
  });
  expect(momentOf("20019910000000")).toBeUndefined();
});

test("archive surprise 4: a page without any capture", async () => {
  expect(nearest({ url: "a.example", archived_snapshots: {} })).toBeUndefined();
  const body = { url: "a.example", archived_snapshots: {} };
  const { played } = await ask("archive.captures.nearest", { url: "a.example" }, () => ({ body }));
  expect(played).toMatchObject({ ok: false, type: "not_found" });
});

test("archive surprise 5: an item that does not exist is an empty object", async () => {
  const { played } = await ask("archive.items.get", { id: "no-such" }, () => ({ body: {} }));
  expect(played).toMatchObject({ ok: false, type: "not_found" });
});

test("archive surprise 6: one value or several", () => {
  const of = (more: object) => itemHit({ identifier: "a", ...more });
  expect(of({ creator: "A" }).creators).toEqual(["A"]);
  expect(of({ creator: ["A", "B"], subject: "x; y;z" })).toMatchObject({
    creators: ["A", "B"],
    subjects: ["x", "y", "z"],
  });
  expect(of({ description: ["<p>a</p>\n  \n", "b"] }).description).toBe("a\nb");
  const metadata = { identifier: "a", publicdate: "2019-03-10 01:41:17" };
  expect(item({ metadata, files: [{ name: "x/y z.pdf", source: "original" }] })).toMatchObject({
    published_at: "2019-03-10T01:41:17Z",
    files: [{ url: "https://archive.org/download/a/x/y%20z.pdf", is_original: true }],
  });
});

test("archive surprise 7: a fault of a search has status 200", () => {
  const of = (error: string) => internetArchive.judge(reply(200, { error }));
  expect(of("query parse error")).toMatchObject({ type: "validation_error" });
  expect(of("search is overloaded, try again")).toMatchObject({ type: "upstream_unavailable" });
});

test("a search of a kind of items keeps the caller's words together", async () => {
  const { asked } = await ask(
    "archive.items.search",
    { query: "tea OR coffee", media_type: "texts", sort: "downloads" },
    () => ({ body: { response: { numFound: 0, docs: [] } } }),
  );
  expect(asked[0]?.query).toMatchObject({
    q: "(tea OR coffee) AND mediatype:texts",
    "sort[]": "downloads desc",
  });
});
