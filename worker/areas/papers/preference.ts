import type { Preference, Source } from "../../mapping/preference.ts";
import { crossref } from "../../upstreams/crossref/client.ts";
import { europePmc } from "../../upstreams/europe-pmc/client.ts";

type Name = "agency" | "europe-pmc";

/** The agencies that register DOIs, of which Crossref has the most. */
const agency: Source<Name> = { name: "agency", forms: [crossref] };
/** It holds the works of the life sciences only. */
const lifeSciences: Source<Name> = { name: "europe-pmc", forms: [europePmc], holdsLess: true };

export const preference = {
  "papers.works.get": [agency, lifeSciences],
} as const satisfies Preference<Name>;
