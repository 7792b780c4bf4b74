import type { Samples } from "../sandbox.ts";
import { hackernews } from "./hackernews.ts";
import { dataforseo } from "./dataforseo.ts";
import { tikhub } from "./tikhub.ts";
import { youtube, youtubeCharts } from "./youtube.ts";

/** Sample answers of every upstream; they carry the test mode. */
export const samples: readonly Samples[] = [hackernews, tikhub, dataforseo, youtube, youtubeCharts];
