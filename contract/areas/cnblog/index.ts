import * as z from "zod";
import { id, page, perPage } from "../../fields.ts";
import { area, operation } from "../../operation.ts";
import { cnblogComment, cnblogHotSearch, cnblogPost, cnblogUser } from "./records.ts";

const uid = id(/^[1-9][0-9]{4,11}$/, "User", "a number of 5 to 12 digits");
const postId = id(
  /^(?:[0-9]{15,17}|[A-Za-z0-9]{8,10})$/,
  "Post",
  "a number of 15 to 17 digits, or its short form of 8 to 10 letters and digits, whose case counts",
);
const paging = page({ most: 50, default: 20 });

export const cnblog = area({
  name: "cnblog",
  summary: "CN microblog platform: posts, comments, users and hot search",
  pool: "social",
  operations: [
    operation({
      id: "cnblog.hot_search",
      method: "GET",
      path: "/cnblog/hot-search",
      summary: "The most frequent searches now, pinned headlines first",
      input: z.strictObject({
        limit: z.int().min(1).max(50).default(50).describe("Most entries to return"),
      }),
      data: z.array(cnblogHotSearch),
      records: perPage,
      example: { limit: 10 },
    }),
    operation({
      id: "cnblog.posts.get",
      method: "GET",
      path: "/cnblog/posts/{id}",
      summary: "One post with its whole text",
      input: z.strictObject({ id: postId }),
      data: cnblogPost,
      records: { kind: "one" },
      example: { id: "5100000000000123" },
    }),
    operation({
      id: "cnblog.posts.comments",
      method: "GET",
      path: "/cnblog/posts/{id}/comments",
      summary: "Comments on a post",
      input: z.strictObject({ id: postId, ...paging }),
      data: z.array(cnblogComment),
      paginated: true,
      records: perPage,
      example: { id: "5100000000000123", limit: 5 },
    }),
    operation({
      id: "cnblog.users.get",
      method: "GET",
      path: "/cnblog/users/{uid}",
      summary: "One user",
      input: z.strictObject({ uid }),
      data: cnblogUser,
      records: { kind: "one" },
      example: { uid: "1200000123" },
    }),
    operation({
      id: "cnblog.users.fans",
      method: "GET",
      path: "/cnblog/users/{uid}/fans",
      summary: "Followers of a user",
      description: "The platform shows the first few hundred.",
      input: z.strictObject({ uid, ...paging }),
      data: z.array(cnblogUser),
      paginated: true,
      records: perPage,
      example: { uid: "1200000123", limit: 5 },
    }),
    operation({
      id: "cnblog.users.following",
      method: "GET",
      path: "/cnblog/users/{uid}/following",
      summary: "Accounts that a user follows",
      description: "The platform shows the first few hundred.",
      input: z.strictObject({ uid, ...paging }),
      data: z.array(cnblogUser),
      paginated: true,
      records: perPage,
      example: { uid: "1200000123", limit: 5 },
    }),
    operation({
      id: "cnblog.users.posts",
      method: "GET",
      path: "/cnblog/users/{uid}/posts",
      summary: "Posts of a user, a pinned one first",
      input: z.strictObject({ uid, ...paging }),
      data: z.array(cnblogPost),
      paginated: true,
      records: perPage,
      example: { uid: "1200000123", limit: 5 },
    }),
  ],
});
