import type { Preference, Source } from "../../mapping/preference.ts";
import { freshLinkedin } from "../../upstreams/fresh-linkedin/client.ts";
import { tikhub as reseller } from "../../upstreams/tikhub/client.ts";

type Name = "tikhub" | "fresh-linkedin";

const tikhub: Source<Name> = { name: "tikhub", forms: [reseller] };
const fresh: Source<Name> = { name: "fresh-linkedin", forms: [freshLinkedin] };

/** TikHub takes one call for a page of a person or company, the product two: it first needs their number. */
export const preference = {
  "professional_network.users.get": [tikhub, fresh],
  "professional_network.users.posts": [tikhub, fresh],
  "professional_network.companies.get": [tikhub, fresh],
  "professional_network.companies.posts": [tikhub, fresh],
  "professional_network.posts.get": [tikhub, fresh],
  "professional_network.posts.comments": [tikhub, fresh],
} as const satisfies Preference<Name>;
