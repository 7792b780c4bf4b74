import { area } from "../../operation.ts";
import { backlinks } from "./backlinks.ts";
import { competitors } from "./competitors.ts";
import { keywordOperations } from "./keywords.ts";
import { serpOperations } from "./serp.ts";

export const seo = area({
  name: "seo",
  summary: "Backlinks, competitors, keywords and organic search results",
  pool: "seo",
  operations: [...backlinks, ...competitors, ...keywordOperations, ...serpOperations],
});
