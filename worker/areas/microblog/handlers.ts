import type { microblog } from "../../../contract/areas/microblog/index.ts";
import type { Connector } from "../../connector.ts";
import { communities } from "./communities.ts";
import { discovery } from "./discovery.ts";
import { posts } from "./posts.ts";
import { users } from "./users.ts";

export default {
  ...posts,
  ...users,
  ...communities,
  ...discovery,
} satisfies Connector<typeof microblog>;
