import type { SampleRequest, Samples } from "../../../sandbox/sample.ts";
import { words } from "../../../sandbox/figures.ts";
import { slice, vary } from "../../../sandbox/vary.ts";

/** Sample answers of the Internet Archive, written for this project. */

const total = { usual: 45, long: 240 };
const totalOf = ({ empty, secondPage }: SampleRequest) =>
  empty ? 0 : secondPage ? total.long : total.usual;

const faults = {
  not_found: { status: 404, body: undefined },
  upstream_error: { status: 418, body: undefined },
  upstream_unavailable: { status: 503, body: undefined },
} as const;

const timestamp = (index: number) =>
  new Date(Date.UTC(2010, 0, 1) + index * 11 * 86_400_000 + index * 61_000)
    .toISOString()
    .replace(/\D/g, "")
    .slice(0, 14);

/** The resume key counts rows here. */
function index(request: SampleRequest) {
  const { url, resumeKey, limit } = request.query ?? {};
  const [offset, count] = [Number(resumeKey ?? 0), Number(limit)];
  const list = slice({ total: totalOf(request), offset, count }, (row) => {
    const v = vary("capture", String(url), row);
    return [
      timestamp(row),
      `http://www.example.com:80/${v.pick("page", words)}`,
      v.pick("type", ["text/html", "application/pdf"]),
      row % 2 === 0 ? "-" : v.pick("status", ["200", "301", "404"]),
      v.digits("digest", 32).replaceAll("9", "Z"),
      row % 2 === 1 ? "-" : String(v.int("length", 300, 90_000)),
    ].join(" ");
  });
  const isLast = offset + count >= totalOf(request);
  return `${[...list, ...(isLast ? [] : ["", String(offset + count)])].join("\n")}\n`;
}

export const wayback: Samples = {
  upstream: "wayback",
  answers: { "GET /cdx/search/cdx": index },
  faults,
};

function document(identifier: string) {
  const v = vary("item", identifier);
  return {
    identifier,
    title: `${v.pick("title", words)} guide &amp; map`,
    mediatype: v.pick("type", ["texts", "audio"]),
    creator: ["Sample House", `${v.pick("creator", words)} press`],
    description: `<p>About ${v.pick("description", words)}.</p>`,
    date: `19${v.int("year", 10, 99)}-01-01T00:00:00Z`,
    language: v.pick("language", ["eng", "fin"]),
    subject: `${v.pick("subject", words)}; maps`,
    collection: ["samples", v.pick("collection", words)],
    licenseurl: "https://creativecommons.org/publicdomain/zero/1.0/",
    publicdate: `2019-0${v.int("month", 1, 9)}-10T01:41:17Z`,
  };
}

export const internetArchive: Samples = {
  upstream: "internet-archive",
  answers: {
    "GET /wayback/available": ({ query = {} }) => {
      const v = vary("nearest", String(query.url));
      const at = `${v.int("year", 2001, 2019)}0615083000`;
      return {
        url: query.url,
        archived_snapshots: {
          closest: {
            status: "200",
            available: true,
            url: `http://web.archive.org/web/${at}/http://www.example.com/${v.pick("page", words)}`,
            timestamp: at,
          },
        },
        timestamp: query.timestamp,
      };
    },
    "GET /advancedsearch.php": (request) => {
      const { rows, page, q } = request.query ?? {};
      const [count, offset] = [Number(rows), (Number(page) - 1) * Number(rows)];
      const found = totalOf(request);
      return {
        responseHeader: { status: 0, QTime: 12, params: { query: q } },
        response: {
          numFound: found,
          start: offset,
          docs: slice({ total: found, offset, count }, (index) => ({
            ...document(`sample-${vary(String(q), index).pick("id", words)}-${index}`),
            downloads: vary(String(q), index).int("downloads", 1, 90_000),
          })),
        },
      };
    },
    "GET /metadata/{id}": ({ parts }) => {
      const id = parts.id as string;
      const v = vary("item files", id);
      return {
        created: 1_600_000_000,
        dir: `/1/items/${id}`,
        files_count: 2,
        item_size: v.int("size", 9000, 900_000),
        metadata: { ...document(id), publicdate: "2019-03-10 01:41:17" },
        files: [
          {
            name: `maps/${v.pick("file", words)} 1.pdf`,
            source: "original",
            format: "Text PDF",
            size: String(v.int("file size", 900, 9000)),
            md5: v.digits("md5", 32),
          },
          { name: `${id}_meta.xml`, source: "metadata", format: "Metadata", size: "168" },
        ],
      };
    },
  },
  faults,
};
