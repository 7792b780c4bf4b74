import type { Samples } from "../sandbox.ts";
import { hackernews } from "./hackernews.ts";
import { dataforseo } from "./dataforseo.ts";
import { tikhub } from "./tikhub.ts";

/** Sample answers of every upstream; they carry the test mode. */
export const samples: readonly Samples[] = [hackernews, tikhub, dataforseo];
