import { area } from "../../operation.ts";
import { searchVolume } from "./keywords.ts";
import { mentions } from "./mentions.ts";
import { serp } from "./serp.ts";

export const geo = area({
  name: "geo",
  summary: "Generated answers of search engines and assistants, and who is mentioned in them",
  pool: "serp",
  operations: [serp, searchVolume, ...mentions],
});
