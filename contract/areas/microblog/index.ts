import { area } from "../../operation.ts";
import { communities } from "./communities.ts";
import { discovery } from "./discovery.ts";
import { posts } from "./posts.ts";
import { users } from "./users.ts";

export const microblog = area({
  name: "microblog",
  summary: "Users, posts, lists, communities, trends, search and relationships of a microblog",
  pool: "social",
  operations: [...posts, ...users, ...communities, ...discovery],
});
