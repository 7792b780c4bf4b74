import type { seo } from "../../../contract/areas/seo/index.ts";
import type { Connector } from "../../connector.ts";
import backlinksBulk from "./backlinks-bulk.ts";
import backlinks from "./backlinks.ts";
import competitors from "./competitors.ts";
import keywords from "./keywords.ts";
import serp from "./serp.ts";

export default {
  ...backlinks,
  ...backlinksBulk,
  ...competitors,
  ...keywords,
  ...serp,
} satisfies Connector<typeof seo>;
