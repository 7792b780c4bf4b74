import { arxivIdOf } from "../../../contract/areas/papers/ids.ts";
import type { papers } from "../../../contract/areas/papers/index.ts";
import type { WorkFields } from "../../../contract/areas/papers/records.ts";
import type { Call, Connector } from "../../connector.ts";
import { isRedirect, withRedirects } from "../../transport/moved.ts";
import type { Upstream } from "../../transport/upstream.ts";
import { datacite } from "../../upstreams/datacite/client.ts";
import { europePmc } from "../../upstreams/europe-pmc/client.ts";
import { orcid } from "../../upstreams/orcid/client.ts";
import { ror } from "../../upstreams/ror/client.ts";
import { semanticScholar } from "../../upstreams/semantic-scholar/client.ts";
import { unpaywall } from "../../upstreams/unpaywall/client.ts";
import { listed } from "../../mapping/list.ts";
import { literalWords } from "../../mapping/literal-words.ts";
import { sliced, sliceOf } from "../../mapping/sliced.ts";
import { either } from "../../mapping/preference.ts";
import { array, at, count, found, integer, need, object, rows, text } from "#wire";
import {
  listOf,
  messageOf,
  referencesOf,
  unlessMissing,
  workMessage,
  worksOf,
} from "./crossref.ts";
import { article, funder, funderFound, isBare, journal, reference } from "./crossref.map.ts";
import { dataset, registered } from "./datacite.map.ts";
import { lifeScienceWork } from "./europepmc.map.ts";
import { author, authorFound, authorWork } from "./orcid.map.ts";
import { preference } from "./preference.ts";
import { institution } from "./ror.map.ts";
import { orcidsIn } from "./work.map.ts";
import { foundWorks } from "./search.ts";
import { citation, citationFields } from "./semantic-scholar.map.ts";
import { openAccess } from "./unpaywall.map.ts";

/** The sources that slice their lists show no more rows. */
const last = 10_000;

type Query = Readonly<Record<string, string | number | undefined>>;

async function get(call: Call, upstream: Upstream, path: string, query: Query = {}) {
  return (await call.send(upstream, { method: "GET", path, query })).body;
}

export default {
  "papers.search": (input, call) => foundWorks(call, input),
  "papers.works.get": async ({ id }, call) => ({ data: await workOf(call, id) }),
  "papers.works.references": (input, call) =>
    sliced(call, {
      limit: input.limit,
      size: { most: input.limit },
      last: Infinity,
      async fetch(offset, size) {
        const all = referencesOf(await workMessage(call, input.id));
        const list = all.filter((row) => !isBare(row));
        const { rows: some, total } = sliceOf(list, offset, size);
        return { rows: rows(some, "message.reference", reference), total };
      },
    }),
  "papers.works.citations": citations,
  "papers.open_access.get": async (input, call) => {
    const [prefix = "", ...rest] = input.doi.split("/");
    const path = `/v2/${prefix}/${encodeURIComponent(rest.join("/"))}`;
    return { data: openAccess(await get(call, unpaywall, path)) };
  },
  "papers.authors.search": (input, call) =>
    sliced(call, {
      limit: input.limit,
      size: { most: 100 },
      last,
      key: (row) => row.orcid,
      async fetch(offset, size) {
        const query = { q: literalWords(input.q), start: offset, rows: size };
        const body = await get(call, orcid, "/expanded-search/", query);
        const total = need(count(at(body, "num-found")), "num-found");
        const list = at(body, "expanded-result");
        // A search without results has null in place of the list.
        const none = list === null && total === 0;
        return { rows: none ? [] : rows(list, "expanded-result", authorFound), total };
      },
    }),
  "papers.authors.get": async (input, call) => ({
    data: author(await recordOf(call, input.orcid, "record")),
  }),
  "papers.authors.works": (input, call) =>
    sliced(call, {
      limit: input.limit,
      size: { most: input.limit },
      last: Infinity,
      async fetch(offset, size) {
        const body = await recordOf(call, input.orcid, "works");
        const { rows: some, total } = sliceOf(
          need(array(at(body, "group")), "group"),
          offset,
          size,
        );
        return { rows: rows(some, "group", authorWork), total };
      },
    }),
  "papers.institutions.search": (input, call) =>
    sliced(call, {
      limit: input.limit,
      // The source's pages have 20 rows, whatever is requested.
      size: { most: 20, only: true, numbered: true },
      last,
      key: (row) => row.ror_id,
      async fetch(offset, size) {
        const query = { query: literalWords(input.q), page: offset / size + 1 };
        const body = await get(call, ror, "/v2/organizations", query);
        return {
          rows: rows(at(body, "items"), "items", institution),
          total: need(count(at(body, "number_of_results")), "number_of_results"),
        };
      },
    }),
  "papers.institutions.get": async (input, call) => {
    const body = await get(call, ror, `/v2/organizations/${input.ror_id}`);
    return { data: institution(need(object(body), "organization")) };
  },
  "papers.journals.search": (input, call) =>
    listOf(call, "/journals", input, { query: input.q }, journal),
  "papers.journals.get": async (input, call) => ({
    data: journal(await messageOf(call, `/journals/${input.issn}`)),
  }),
  "papers.journals.works": (input, call) => worksOf(call, `/journals/${input.issn}/works`, input),
  "papers.funders.search": (input, call) =>
    listOf(call, "/funders", input, { query: input.q }, funderFound, (row) => row.funder_id),
  "papers.funders.get": async (input, call) => ({
    data: funder(await messageOf(call, `/funders/${input.funder_id}`)),
  }),
  "papers.funders.works": (input, call) =>
    worksOf(call, `/funders/${input.funder_id}/works`, input),
  "papers.datasets.search": (input, call) =>
    sliced(call, {
      limit: input.limit,
      size: { most: 100, numbered: true },
      last,
      key: (row) => row.id,
      async fetch(offset, size) {
        const body = await get(call, datacite, "/dois", {
          query: literalWords(input.q),
          "resource-type-id": "dataset",
          sort: "relevance",
          "page[size]": size,
          "page[number]": offset / size + 1,
        });
        return {
          rows: rows(at(body, "data"), "data", dataset),
          total: need(count(at(body, "meta", "total")), "meta.total"),
        };
      },
    }),
  "papers.datasets.get": async (input, call) => ({
    data: dataset(await doiResource(call, input.id)),
  }),
} satisfies Connector<typeof papers>;

/** A researcher's record, or a part of it; a record that was merged into another names that one. */
async function recordOf(call: Call, given: string, part: string): Promise<unknown> {
  const path = `/${given}/${part}`;
  const reply = await call.send(withRedirects(orcid), { method: "GET", path });
  if (!isRedirect(reply)) return reply.body;
  const stated = [reply.headers.location, text(at(reply.body, "developer-message"))];
  const other = orcidsIn(stated.join(" ")).find((one) => one !== given);
  return get(call, orcid, `/${found(other, "researcher")}/${part}`);
}

async function doiResource(call: Call, doi: string): Promise<unknown> {
  return at(await get(call, datacite, `/dois/${encodeURIComponent(doi)}`), "data");
}

/** A DOI is registered at one agency; most are at Crossref, and those of arXiv at DataCite. */
async function workOf(call: Call, id: string): Promise<WorkFields> {
  if (/^pmc?id:/.test(id)) return lifeScienceWorkOf(call, id);
  if (arxivIdOf(id) !== undefined) return registered(await doiResource(call, id));
  return either(call, preference, {
    agency: async (within) => {
      const message = await unlessMissing(workMessage(within, id));
      return message ? article(message) : registered(await doiResource(within, id));
    },
    "europe-pmc": (within) => lifeScienceWorkOf(within, id),
  });
}

/** The source's words for an id in the gateway's form. */
function lifeScienceQuery(id: string): string {
  if (id.startsWith("pmid:")) return `EXT_ID:${id.slice(5)} AND SRC:MED`;
  if (id.startsWith("pmcid:")) return `PMCID:${id.slice(6)}`;
  return `DOI:"${id.replace(/["\\]/g, "\\$&")}"`;
}

async function lifeScienceWorkOf(call: Call, id: string): Promise<WorkFields> {
  const query = lifeScienceQuery(id);
  const body = await get(call, europePmc, "/search", {
    query,
    format: "json",
    resultType: "core",
    pageSize: 1,
  });
  const results = rows(at(body, "resultList", "result"), "resultList.result", lifeScienceWork);
  const isDoi = !/^pmc?id:/.test(id);
  return found(
    results.find((work) => !isDoi || work.doi === id),
    "work",
  );
}

type Handlers = Connector<typeof papers>;

/** The source's own spelling of a work's id. */
function scholarId(id: string): string {
  const arxiv = arxivIdOf(id);
  if (arxiv !== undefined) return `ARXIV:${arxiv}`;
  if (id.startsWith("pmid:")) return `PMID:${id.slice(5)}`;
  return id.startsWith("pmcid:PMC") ? `PMCID:${id.slice(9)}` : `DOI:${id}`;
}

/** The source names the offset of the next page, and none at the end. */
function citations(...[input, call]: Parameters<Handlers["papers.works.citations"]>) {
  return listed(call, {
    limit: input.limit,
    start: { offset: 0, size: input.limit },
    async fetch(position) {
      const offset = need(count(at(position, "offset")), "offset");
      const size = need(count(at(position, "size")), "size");
      const path = `/graph/v1/paper/${encodeURIComponent(scholarId(input.id))}/citations`;
      // Offset and limit together must stay below the last row.
      const limit = Math.min(size, last - 1 - offset);
      const body = await get(call, semanticScholar, path, {
        fields: citationFields,
        offset,
        limit,
      });
      const next = integer(at(body, "next"));
      const isLast = next === undefined || next >= last - 1;
      return {
        rows: rows(at(body, "data"), "data", citation),
        next: isLast ? null : { offset: next, size },
      };
    },
    key: (work) => work.id,
  });
}
