import type { geo } from "../../../contract/areas/geo/index.ts";
import type { Connector } from "../../connector.ts";
import mentions from "./mentions.ts";
import serp from "./serp.ts";

export default { ...serp, ...mentions } satisfies Connector<typeof geo>;
