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
      summary: "Answers with what it was given, after as many milliseconds as it was told",
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
