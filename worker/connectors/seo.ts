import type { seo } from "../../contract/areas/seo/index.ts";
import type { Connector } from "../connector.ts";
import backlinksBulk from "./seo-backlinks-bulk.ts";
import backlinks from "./seo-backlinks.ts";

export default {
  ...backlinks,
  ...backlinksBulk,
} satisfies Connector<typeof seo>;
