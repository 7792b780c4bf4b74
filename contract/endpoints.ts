import { accountEndpoints } from "./account.ts";
import { batchesEndpoints } from "./batches.ts";
import { crawlsEndpoints } from "./crawls.ts";
import type { Endpoint } from "./endpoint.ts";
import { jobsEndpoints } from "./jobs.ts";
import { openEndpoints } from "./open.ts";
import { webhooksEndpoints } from "./webhook-endpoints.ts";

/** All of the gateway's own endpoints, in the order of the OpenAPI document. */
export const endpoints: readonly Endpoint[] = [
  ...batchesEndpoints,
  ...crawlsEndpoints,
  ...webhooksEndpoints,
  ...jobsEndpoints,
  ...accountEndpoints,
  ...openEndpoints,
];
