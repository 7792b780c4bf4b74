import { archive } from "./areas/archive/index.ts";
import { browser } from "./areas/browser/index.ts";
import { encyclopedia } from "./areas/encyclopedia/index.ts";
import { events } from "./areas/events/index.ts";
import { cnblog } from "./areas/cnblog/index.ts";
import { cnvideo } from "./areas/cnvideo/index.ts";
import { code } from "./areas/code/index.ts";
import { finance } from "./areas/finance/index.ts";
import { food } from "./areas/food/index.ts";
import { forum } from "./areas/forum/index.ts";
import { geo } from "./areas/geo/index.ts";
import { government } from "./areas/government/index.ts";
import { hotels } from "./areas/hotels/index.ts";
import { library } from "./areas/library/index.ts";
import { jobBoards } from "./areas/job-boards/index.ts";
import { local } from "./areas/local/index.ts";
import { maps } from "./areas/maps/index.ts";
import { media } from "./areas/media/index.ts";
import { microblog } from "./areas/microblog/index.ts";
import { models } from "./areas/models/index.ts";
import { newsAggregator } from "./areas/news-aggregator/index.ts";
import { nature } from "./areas/nature/index.ts";
import { news } from "./areas/news/index.ts";
import { openSocial } from "./areas/open-social/index.ts";
import { packages } from "./areas/packages/index.ts";
import { papers } from "./areas/papers/index.ts";
import { photosite } from "./areas/photosite/index.ts";
import { places } from "./areas/places/index.ts";
import { professionalNetwork } from "./areas/professional-network/index.ts";
import { questions } from "./areas/questions/index.ts";
import { security } from "./areas/security/index.ts";
import { seo } from "./areas/seo/index.ts";
import { shortclip } from "./areas/shortclip/index.ts";
import { threads } from "./areas/threads/index.ts";
import { videosite } from "./areas/videosite/index.ts";
import { weather } from "./areas/weather/index.ts";
import { web } from "./areas/web/index.ts";
import type { Area, Operation } from "./operation.ts";

export const areas: readonly Area[] = [
  archive,
  browser,
  cnblog,
  cnvideo,
  code,
  encyclopedia,
  events,
  finance,
  food,
  forum,
  geo,
  government,
  hotels,
  library,
  jobBoards,
  local,
  maps,
  media,
  microblog,
  models,
  nature,
  news,
  newsAggregator,
  openSocial,
  packages,
  papers,
  photosite,
  places,
  professionalNetwork,
  questions,
  security,
  seo,
  shortclip,
  threads,
  videosite,
  weather,
  web,
];

/** Every data operation by id. */
export const operations: ReadonlyMap<string, Operation> = new Map(
  areas.flatMap((area) => area.operations).map((op) => [op.id, op]),
);
