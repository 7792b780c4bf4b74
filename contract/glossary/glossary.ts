import { encyclopedia } from "./encyclopedia.ts";
import { finance } from "./finance.ts";
import { gateway } from "./gateway.ts";
import { library } from "./library.ts";
import { media } from "./media.ts";
import { nature } from "./nature.ts";
import { government } from "./government.ts";
import { jobs } from "./jobs.ts";
import { places } from "./places.ts";
import { scholarly } from "./scholarly.ts";
import { search } from "./search.ts";
import { shared } from "./shared.ts";
import { social } from "./social.ts";
import { weather } from "./weather.ts";

/** Descriptions of members by name, for members that their own declaration does not describe. */
export const glossary: ReadonlyMap<string, string> = new Map(
  [
    shared,
    encyclopedia,
    finance,
    gateway,
    library,
    media,
    nature,
    government,
    jobs,
    places,
    scholarly,
    search,
    social,
    weather,
  ].flatMap((words) => Object.entries(words)),
);
