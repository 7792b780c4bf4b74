import { area } from "../../operation.ts";
import { backlinks } from "./backlinks.ts";

export const seo = area({
  name: "seo",
  summary: "Backlinks, competitors, keywords and organic search results",
  pool: "seo",
  operations: [...backlinks],
});
