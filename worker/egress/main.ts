import { createResolver, parseEgressAllow, parseEgressDeny } from "../../runtime/egress/rules.ts";
import { startEgressService } from "./service.ts";

/** The process of the egress service. EGRESS_ALLOW, EGRESS_DENY and RESOLVER set its rules, as in a worker. */

const list = (text: string | undefined) =>
  (text ?? "")
    .split(",")
    .map((item) => item.trim())
    .filter(Boolean);

const host = process.env["HOST"] || "0.0.0.0";
const port = Number(process.env["PORT"] || 3128);
if (!Number.isInteger(port) || port < 1 || port > 65_535)
  throw new Error(`PORT: ${process.env["PORT"]} is no port number`);

const server = await startEgressService(
  {
    allow: parseEgressAllow(list(process.env["EGRESS_ALLOW"])),
    deny: parseEgressDeny(list(process.env["EGRESS_DENY"])),
    resolve: createResolver(process.env["RESOLVER"] || undefined),
  },
  { host, port },
);

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.on(signal, () => {
    server.close(() => process.exit(0));
    setTimeout(() => process.exit(0), 5000).unref();
  });
}
