import type { Samples } from "../sandbox.ts";
import { weibo } from "./weibo.ts";
import { hackernews } from "./hackernews.ts";
import { dataforseo } from "./dataforseo.ts";
import { ticketmaster } from "./ticketmaster.ts";
import { tikhub } from "./tikhub.ts";
import { twitter283 } from "./twitter283.ts";
import { x } from "./x.ts";
import { youtube, youtubeCharts } from "./youtube.ts";

/** Sample answers of every upstream; they carry the test mode. */
export const samples: readonly Samples[] = [
  hackernews,
  ticketmaster,
  tikhub,
  weibo,
  twitter283,
  x,
  dataforseo,
  youtube,
  youtubeCharts,
];
