import type { Preference, Source } from "../../mapping/preference.ts";
import { tikhub as reseller } from "../../upstreams/tikhub/client.ts";
import { weibo as site } from "../../upstreams/weibo/client.ts";

type Name = "weibo" | "tikhub";

const weibo: Source<Name> = { name: "weibo", forms: [site] };
const tikhub: Source<Name> = { name: "tikhub", forms: [reseller] };

/** The site's own page is free. */
export const preference = {
  "cnblog.hot_search": [weibo, tikhub],
} as const satisfies Preference<Name>;
