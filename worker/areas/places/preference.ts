import type { Preference, Source } from "../../mapping/preference.ts";
import { nominatim } from "../../upstreams/nominatim/client.ts";
import { photon } from "../../upstreams/photon/client.ts";

type Name = "nominatim" | "photon";

const exact: Source<Name> = { name: "nominatim", forms: [nominatim] };
const forgiving: Source<Name> = { name: "photon", forms: [photon] };

/** Photon tolerates misspellings, so that its places fit an address less exactly. */
export const preference = {
  "places.geocode": [exact, forgiving],
  "places.reverse": [exact, forgiving],
} as const satisfies Preference<Name>;
