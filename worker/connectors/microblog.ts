import type { microblog } from "../../contract/areas/microblog/index.ts";
import type { Connector } from "../connector.ts";
import { communities } from "./microblog-communities.ts";
import { discovery } from "./microblog-discovery.ts";
import { posts } from "./microblog-posts.ts";
import { users } from "./microblog-users.ts";

export default {
  ...posts,
  ...users,
  ...communities,
  ...discovery,
} satisfies Connector<typeof microblog>;
