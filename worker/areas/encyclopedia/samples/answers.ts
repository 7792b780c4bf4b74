import type { SampleRequest, Samples } from "../../../sandbox/sample.ts";
import { words } from "../../../sandbox/figures.ts";
import { slice, vary } from "../../../sandbox/vary.ts";

const listed = { usual: 120, long: 640 };

const extract = (title: string) =>
  `${title} is a sample.\n\n\n== History ==\nIt was built of stone.\n\n\n=== Light ===\n- Lit in 1901\n1. First lamp\n\n\n== Today ==\nIt stands.`;

/** The page of a title, with what the request's `prop` names. */
function page(title: string, query: Readonly<Record<string, unknown>>) {
  const v = vary("wikipedia", title);
  const has = (name: string) => String(query.prop).split("|").includes(name);
  const address = `https://en.wikipedia.org/wiki/${encodeURIComponent(title.replaceAll(" ", "_"))}`;
  return {
    pageid: Number(v.digits("page", 7)),
    ns: 0,
    title,
    ...(has("info")
      ? {
          contentmodel: "wikitext",
          pagelanguage: "en",
          lastrevid: Number(v.digits("revision", 9)),
          length: v.int("length", 900, 90_000),
          fullurl: address,
          canonicalurl: address,
        }
      : {}),
    ...(has("pageprops")
      ? {
          pageprops: {
            wikibase_item: `Q${v.digits("entity", 7)}`,
            ...(v.int("kind", 0, 3) === 0 ? { disambiguation: "" } : {}),
          },
        }
      : {}),
    ...(has("revisions") ? { revisions: [{ timestamp: "2026-05-04T10:00:00Z" }] } : {}),
    ...(has("extracts")
      ? { extract: query.exintro ? `${title} is a sample.` : extract(title) }
      : {}),
    ...(has("description")
      ? { description: `${v.pick("description", words)} of the coast`, descriptionsource: "local" }
      : {}),
    ...(has("pageimages")
      ? {
          thumbnail: { source: "https://images.example/640px-a.jpg", width: 640, height: 480 },
          original: { source: "https://images.example/a.jpg", width: 4000, height: 3000 },
          pageimage: "a.jpg",
        }
      : {}),
    ...(has("coordinates")
      ? {
          coordinates: [
            {
              lat: v.int("lat", -80, 80) + 0.25,
              lon: v.int("lon", -170, 170) + 0.5,
              primary: true,
              globe: "earth",
            },
          ],
        }
      : {}),
    ...(has("langlinks")
      ? {
          langlinks: [
            {
              lang: "de",
              url: "https://de.wikipedia.org/wiki/Leuchtturm",
              langname: "German",
              autonym: "Deutsch",
              title: `${title} (de)`,
            },
            {
              lang: "fr",
              url: "https://fr.wikipedia.org/wiki/Phare",
              langname: "French",
              autonym: "français",
              title: `${title} (fr)`,
            },
          ],
        }
      : {}),
  };
}

function search({ query, empty, secondPage }: SampleRequest) {
  const total = empty ? 0 : secondPage ? listed.long : listed.usual;
  const [offset, count] = [Number(query?.sroffset), Number(query?.srlimit)];
  const seed = String(query?.srsearch);
  return {
    batchcomplete: true,
    ...(offset + count < total ? { continue: { sroffset: offset + count, continue: "-||" } } : {}),
    query: {
      searchinfo: { totalhits: total },
      search: slice({ total, offset, count }, (index) => {
        const v = vary("wikipedia", "search", seed, index);
        return {
          ns: 0,
          title: `${v.pick("title", words)} ${index + 1}`,
          pageid: 1_000_000 + index * 7,
          size: v.int("size", 900, 90_000),
          wordcount: v.int("words", 90, 9000),
          snippet: `The <span class="searchmatch">word</span> &quot;${v.pick("snippet", words)}&quot;`,
          timestamp: "2026-04-03T09:00:00Z",
        };
      }),
    },
  };
}

function event(type: string, index: number) {
  const v = vary("wikipedia", "event", type, index);
  const title = `${v.pick("title", words)} ${index + 1}`;
  const name = title.replaceAll(" ", "_");
  return {
    text: `A ${v.pick("text", words)} was found, for the ${index + 1}th time.`,
    ...(type === "holidays" ? {} : { year: v.int("year", -40, 2025) }),
    pages: [
      {
        type: "standard",
        title: name,
        titles: { canonical: name, normalized: title, display: title },
        pageid: 2_000_000 + index,
        wikibase_item: `Q${v.digits("entity", 7)}`,
        description: `${v.pick("description", words)} of the coast`,
        thumbnail: { source: `https://images.example/${index}.jpg`, width: 320, height: 240 },
        content_urls: {
          desktop: { page: `https://en.wikipedia.org/wiki/${name}` },
          mobile: { page: `https://en.m.wikipedia.org/wiki/${name}` },
        },
        extract: "A sample.",
      },
    ],
  };
}

const fault = { error: { code: "internal_error", info: "Sample fault" } };
const faults = {
  not_found: { status: 404, body: { type: "not_found", title: "Not found" } },
  upstream_error: { status: 200, body: fault },
  upstream_unavailable: { status: 503, body: undefined },
};

/** Sample answers of Wikipedia, written for this project. */
export const wikipedia: Samples = {
  upstream: "wikipedia",
  answers: {
    "GET /w/api.php": (request) =>
      request.query?.list === "search"
        ? search(request)
        : {
            batchcomplete: true,
            query: { pages: [page(String(request.query?.titles), request.query ?? {})] },
          },
    "GET /api/rest_v1/feed/onthisday/{type}/{month}/{day}": ({ parts, empty, secondPage }) => ({
      [parts.type as string]: Array.from(
        { length: empty ? 0 : secondPage ? listed.long : listed.usual },
        (_, index) => event(parts.type as string, index),
      ),
    }),
  },
  faults,
};

/** Sample answers of Wikimedia's counts of page views, written for this project. */
export const wikimedia: Samples = {
  upstream: "wikimedia",
  answers: {
    "GET /api/rest_v1/metrics/pageviews/per-article/{project}/{access}/{agent}/{article}/{granularity}/{from}/{to}":
      ({ parts }) => ({
        items: Array.from({ length: 5 }, (_, index) => ({
          project: parts.project,
          article: parts.article,
          granularity: parts.granularity,
          timestamp: `202605${String(index + 1).padStart(2, "0")}00`,
          access: "all-access",
          agent: "user",
          views: vary("wikimedia", parts.article as string, index).int("views", 1, 9000),
        })),
      }),
  },
  faults,
};
