import * as z from "zod";
import { egressVariables, host, port } from "../../runtime/environment.ts";

/** Every variable of the egress service; docs/configuration.md is generated from this object. */
export const environment = z.object({
  HOST: host.default("0.0.0.0").describe("Address that the egress service listens on."),
  PORT: port
    .default(3128)
    .describe("Port that the egress service listens on; 0 takes any free port."),
  EGRESS_ALLOW: egressVariables.EGRESS_ALLOW,
  EGRESS_DENY: egressVariables.EGRESS_DENY,
  RESOLVER: egressVariables.RESOLVER,
});
