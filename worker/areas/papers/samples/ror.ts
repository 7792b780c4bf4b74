import type { Samples } from "../../../sandbox/sample.ts";
import { words } from "../../../sandbox/figures.ts";
import { slice, vary } from "../../../sandbox/vary.ts";

const listed = { usual: 130, long: 450 };
const pageRows = 20;

function organization(id: string) {
  const v = vary("ror", id);
  const name = `Institute of ${v.pick("name", words)} physics`;
  return {
    id: `https://ror.org/${id}`,
    admin: {
      created: { date: "2018-11-14", schema_version: "1.0" },
      last_modified: { date: "2025-02-11", schema_version: "2.1" },
    },
    domains: ["institute.example"],
    established: v.int("established", 1850, 2010),
    external_ids: [
      { type: "fundref", preferred: null, all: ["501100009999"] },
      { type: "grid", preferred: "grid.9999.1", all: ["grid.9999.1"] },
    ],
    links: [
      { type: "website", value: "https://institute.example" },
      { type: "wikipedia", value: "https://en.wikipedia.org/wiki/Sample" },
    ],
    locations: [
      {
        geonames_id: 2_950_159,
        geonames_details: {
          continent_code: "EU",
          continent_name: "Europe",
          country_code: "DE",
          country_name: "Germany",
          country_subdivision_code: "BE",
          country_subdivision_name: "Berlin",
          lat: 52.52437,
          lng: 13.41053,
          name: "Berlin",
        },
      },
    ],
    names: [
      { value: name, types: ["ror_display", "label"], lang: "en" },
      { value: `Institut für ${v.pick("label", words)}`, types: ["label"], lang: "de" },
      { value: `Old institute ${v.int("alias", 1, 99)}`, types: ["alias"], lang: null },
      { value: "IoP", types: ["acronym"], lang: null },
    ],
    relationships: [
      { type: "parent", label: "University of Samples", id: "https://ror.org/00sample1" },
    ],
    status: "active",
    types: ["education", "facility"],
  };
}

/** Sample answers of the Research Organization Registry, written for this project. */
export const ror: Samples = {
  upstream: "ror",
  answers: {
    "GET /v2/organizations": ({ query, empty, secondPage }) => {
      const total = empty ? 0 : secondPage ? listed.long : listed.usual;
      const base = vary("ror", "query", String(query?.query)).digits("hash", 3);
      const offset = (Number(query?.page) - 1) * pageRows;
      return {
        number_of_results: total,
        time_taken: 4,
        items: slice({ total, offset, count: pageRows }, (index) =>
          organization(`0${base}${String(index).padStart(3, "0")}${10 + (index % 80)}`),
        ),
        meta: { types: [], countries: [], continents: [], statuses: [] },
      };
    },
    "GET /v2/organizations/{id}": ({ parts }) => organization(parts.id as string),
  },
  faults: {
    not_found: { status: 404, body: { errors: ["ROR ID does not exist"] } },
    upstream_error: { status: 400, body: { errors: ["bad request"] } },
    upstream_unavailable: { status: 503, body: undefined },
  },
};
