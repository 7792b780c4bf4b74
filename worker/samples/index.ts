import type { Samples } from "../sandbox.ts";
import { hackernews } from "./hackernews.ts";
import { dataforseo } from "./dataforseo.ts";
import { ticketmaster } from "./ticketmaster.ts";
import { reddit } from "./reddit.ts";
import { freshLinkedin } from "./fresh-linkedin.ts";
import { tikhub } from "./tikhub.ts";
import { twitter283 } from "./twitter283.ts";
import { weibo } from "./weibo.ts";
import { x } from "./x.ts";
import { youtube, youtubeCharts } from "./youtube.ts";

/** Sample answers of every upstream; they carry the test mode. */
export const samples: readonly Samples[] = [
  hackernews,
  ticketmaster,
  reddit,
  tikhub,
  freshLinkedin,
  twitter283,
  weibo,
  x,
  dataforseo,
  youtube,
  youtubeCharts,
];
