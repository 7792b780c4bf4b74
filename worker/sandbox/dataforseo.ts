import { geoMentions } from "../areas/geo/samples/mentions.ts";
import { geoSerp } from "../areas/geo/samples/serp.ts";
import { hotels } from "../areas/hotels/samples/answers.ts";
import type { Sample, Samples } from "./sample.ts";
import { envelope } from "./dataforseo-live.ts";
import { local } from "../areas/local/samples/answers.ts";
import { maps } from "../areas/maps/samples/answers.ts";
import { news } from "../areas/news/samples/answers.ts";
import { seoBacklinks } from "../areas/seo/samples/backlinks.ts";
import { seoCompetitors } from "../areas/seo/samples/competitors.ts";
import { seoKeywords } from "../areas/seo/samples/keywords.ts";
import { seoSerp } from "../areas/seo/samples/serp.ts";

function failed(code: number, message: string): unknown {
  const answer = envelope("/v3/sample", {}, null) as { tasks: Record<string, unknown>[] };
  Object.assign(answer.tasks[0] as object, { status_code: code, status_message: message, cost: 0 });
  return answer;
}

const organic = "POST /v3/serp/google/organic/live/advanced";

/** The page of organic results, with a longer generated answer where the call waits for it. */
const organicPage: Sample = (request) => {
  const [task] = (request.body ?? []) as { load_async_ai_overview?: boolean }[];
  const page = (task?.load_async_ai_overview ? geoSerp : seoSerp)[organic] as Sample;
  return page(request);
};

/** Sample answers of DataForSEO, written for this project. */
export const dataforseo: Samples = {
  upstream: "dataforseo",
  answers: {
    ...geoSerp,
    ...geoMentions,
    ...hotels,
    ...local,
    ...maps,
    ...news,
    ...seoBacklinks,
    ...seoCompetitors,
    ...seoKeywords,
    [organic]: organicPage,
  },
  faults: {
    not_found: { status: 200, body: failed(40102, "No Search Results.") },
    upstream_error: { status: 200, body: failed(40103, "Task execution failed.") },
    upstream_unavailable: {
      status: 200,
      body: failed(50301, "3rd Party API Service Unavailable."),
    },
  },
};
