import * as z from "zod";
import { egressVariables, withoutEmpty } from "../../runtime/environment.ts";
import { createResolver, parseEgressAllow, parseEgressDeny } from "../../runtime/egress/rules.ts";
import { startEgressService } from "./service.ts";

/** The process of the egress service. EGRESS_ALLOW, EGRESS_DENY and RESOLVER set its rules, as in a worker. */

const environment = z.object({
  HOST: z.string().default("0.0.0.0"),
  PORT: z.coerce.number().int().min(1).max(65_535).default(3128),
  EGRESS_ALLOW: egressVariables.EGRESS_ALLOW,
  EGRESS_DENY: egressVariables.EGRESS_DENY,
  RESOLVER: egressVariables.RESOLVER,
});
const parsed = environment.safeParse(withoutEmpty(process.env));
if (!parsed.success)
  throw new Error(`Environment of the egress service:\n${z.prettifyError(parsed.error)}`);
const config = parsed.data;

const server = await startEgressService(
  {
    allow: parseEgressAllow(config.EGRESS_ALLOW),
    deny: parseEgressDeny(config.EGRESS_DENY),
    resolve: createResolver(config.RESOLVER),
  },
  { host: config.HOST, port: config.PORT },
);

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.on(signal, () => {
    server.close(() => process.exit(0));
    setTimeout(() => process.exit(0), 5000).unref();
  });
}
