import type { Samples } from "./sample.ts";
import { allSamples } from "./upstreams.ts";

/** Sample answers of every upstream, for test mode. */
export const samples: readonly Samples[] = await allSamples();
