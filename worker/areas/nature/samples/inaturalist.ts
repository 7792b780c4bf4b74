import type { SampleRequest, Samples } from "../../../sandbox/sample.ts";
import { words } from "../../../sandbox/figures.ts";
import { slice, vary } from "../../../sandbox/vary.ts";

const listed = { usual: 130, long: 500 };
/** The latest observation; earlier ones have the numbers below it. */
const latest = 3_000_500;

function observation(id: number) {
  const v = vary("inaturalist", id);
  const photo = Number(v.digits("photo", 8));
  return {
    id,
    quality_grade: "research",
    species_guess: `${v.pick("guess", words)} seal`,
    description: `Seen near ${v.pick("place", words)}.`,
    observed_on: "2026-05-04",
    time_observed_at: "2026-05-04T10:11:12+02:00",
    created_at: "2026-05-04T12:11:12+02:00",
    updated_at: "2026-05-05T12:11:12+02:00",
    location: `${v.int("lat", -80, 80)}.646894,${v.int("lon", -170, 170)}.360086`,
    positional_accuracy: v.int("accuracy", 1, 90),
    public_positional_accuracy: v.int("public", 90, 900),
    obscured: v.int("obscured", 0, 3) === 0,
    place_guess: `${v.pick("guessed", words)} bay, DE`,
    captive: v.int("captive", 0, 3) === 0,
    identifications_count: v.int("identifications", 0, 9),
    comments_count: v.int("comments", 0, 9),
    license_code: "cc-by",
    taxon: {
      id: Number(v.digits("taxon", 6)),
      name: "Samplea marina",
      preferred_common_name: "Sample seal",
      rank: "species",
      iconic_taxon_name: "Mammalia",
    },
    user: {
      id: Number(v.digits("user", 6)),
      login: `ada${v.int("login", 1, 99)}`,
      name: "Ada Sample",
    },
    photos: [
      {
        id: photo,
        url: `https://photos.example/${photo}/square.jpg`,
        license_code: "cc-by-nc",
        attribution: "(c) Ada Sample, some rights reserved (CC BY-NC)",
      },
    ],
    uri: `https://www.inaturalist.org/observations/${id}`,
  };
}

function search({ query, empty, secondPage }: SampleRequest) {
  const all = empty ? 0 : secondPage ? listed.long : listed.usual;
  const offset = query?.id_below === undefined ? 0 : latest - Number(query.id_below) + 1;
  const count = Number(query?.per_page);
  return {
    // The total counts the rest of the search, from here on.
    total_results: Math.max(0, all - offset),
    page: 1,
    per_page: count,
    results: slice({ total: all, offset, count }, (index) => observation(latest - index)),
  };
}

/** Sample answers of iNaturalist, written for this project. */
export const iNaturalist: Samples = {
  upstream: "inaturalist",
  answers: {
    "GET /v1/observations": search,
    "GET /v1/observations/{id}": ({ parts }) => ({
      total_results: 1,
      page: 1,
      per_page: 30,
      results: [observation(Number(parts.id))],
    }),
  },
  faults: {
    not_found: { status: 200, body: { total_results: 0, page: 1, per_page: 30, results: [] } },
    upstream_error: { status: 422, body: { error: "Sample fault", status: 422 } },
    upstream_unavailable: { status: 503, body: undefined },
  },
};
