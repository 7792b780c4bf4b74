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
      summary: "Answers with what it was given",
      input: z.strictObject({ text: z.string().max(10_000) }),
      data: z.object({ text: z.string() }),
      records: { kind: "one" },
      example: { text: "x" },
    }),
  ],
});
