import { createResolver, parseEgressAllow, parseEgressDeny } from "../../runtime/egress/rules.ts";
import { exitFor, listenProblem, readSettings, settingsOrExit } from "../../runtime/settings.ts";
import { environment } from "./config.ts";
import { startEgressService } from "./service.ts";

/** The process of the egress service. EGRESS_ALLOW, EGRESS_DENY and RESOLVER set its rules, as in a worker. */

const config = settingsOrExit(() => readSettings(environment, process.env));
const server = await startEgressService(
  {
    allow: parseEgressAllow(config.EGRESS_ALLOW),
    deny: parseEgressDeny(config.EGRESS_DENY),
    resolve: createResolver(config.RESOLVER),
  },
  { host: config.HOST, port: config.PORT },
).catch((error: unknown) =>
  exitFor(listenProblem(error, ["HOST", config.HOST], ["PORT", config.PORT])),
);

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.on(signal, () => {
    server.close(() => process.exit(0));
    setTimeout(() => process.exit(0), 5000).unref();
  });
}
