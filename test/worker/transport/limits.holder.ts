import { Redis } from "ioredis";
import { createLimits } from "../../../worker/transport/limits.ts";

/**
 * A process that takes every lease of an account and never returns one. Arguments: Redis URL,
 * prefix, leases.
 */
const [url = "", prefix = "", simultaneous = "1"] = process.argv.slice(2);
const limits = createLimits(new Redis(url), prefix);
const signal = new AbortController().signal;
for (let count = 0; count < Number(simultaneous); count += 1) {
  const shape = { simultaneous: Number(simultaneous) };
  await limits.acquire("account", shape, { signal, waitMs: 5000 });
}
process.stdout.write("held\n");
setInterval(() => {}, 1000);
