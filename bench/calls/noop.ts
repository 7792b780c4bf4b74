import * as z from "zod";
import { area, operation } from "../../contract/operation.ts";

/** An operation that does nothing, so that a call's own cost is all there is. */
export const noop = area({
  name: "bench",
  summary: "Operations of the benchmark",
  pool: "seo",
  operations: [
    operation({
      id: "bench.noop",
      method: "POST",
      path: "/bench/noop",
      summary: "Returns its input after the given number of milliseconds",
      input: z.strictObject({
        text: z.string().max(10_000),
        ms: z.int().min(0).max(30_000).default(0),
      }),
      data: z.object({ text: z.string() }),
      records: { kind: "one" },
      example: { text: "x" },
    }),
  ],
});
