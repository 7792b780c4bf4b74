import { area } from "../../operation.ts";
import { placeOperations } from "./places.ts";
import { postOperations } from "./posts.ts";
import { searchOperations } from "./search.ts";
import { userOperations } from "./users.ts";

export const photosite = area({
  name: "photosite",
  summary: "Users, posts, reels, comments, locations, hashtags, search and ids",
  pool: "social",
  operations: [...placeOperations, ...postOperations, ...searchOperations, ...userOperations],
});
