import { Redis } from "ioredis";
import { createLimits, type LeaseTimes } from "../../../worker/transport/limits.ts";

/**
 * A process that takes every lease of an account and never returns one. Arguments: Redis URL,
 * prefix, leases, and the times of a lease as JSON.
 */
const [url = "", prefix = "", simultaneous = "1", times = ""] = process.argv.slice(2);
const limits = createLimits(new Redis(url), prefix, JSON.parse(times) as LeaseTimes);
const signal = new AbortController().signal;
for (let count = 0; count < Number(simultaneous); count += 1) {
  const shape = { simultaneous: Number(simultaneous) };
  await limits.acquire("account", shape, { account: "caller", signal, waitMs: 5000 });
}
process.stdout.write("held\n");
setInterval(() => {}, 1000);
