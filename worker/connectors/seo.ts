import type { seo } from "../../contract/areas/seo/index.ts";
import type { Connector } from "../connector.ts";
import backlinksBulk from "./seo-backlinks-bulk.ts";
import backlinks from "./seo-backlinks.ts";
import competitors from "./seo-competitors.ts";
import keywords from "./seo-keywords.ts";
import serp from "./seo-serp.ts";

export default {
  ...backlinks,
  ...backlinksBulk,
  ...competitors,
  ...keywords,
  ...serp,
} satisfies Connector<typeof seo>;
