import * as z from "zod";
import { page } from "../../fields.ts";
import { operation } from "../../operation.ts";
import { idOf, ids, input, language, one, pages, paging, username, usernames } from "./input.ts";
import { microblogPost, microblogProfileTranslation, microblogUser } from "./records.ts";

const id = idOf("user");
const example = "951000000000000101";
const people = page({ most: 1000, default: 100 });
const manyIds = page({ most: 5000, default: 500 });

export const users = [
  operation({
    id: "microblog.users.batch",
    method: "GET",
    path: "/microblog/users",
    summary: "Up to 100 users by their ids",
    description: "Users come in the order of the ids; unknown ones are left out.",
    input: input({ ids: ids("users") }),
    data: z.array(microblogUser),
    records: { kind: "list", rows: (data) => data, most: (given) => given.ids.length },
    example: { ids: [example, "951000000000000102", "951000000000000103"] },
  }),
  operation({
    id: "microblog.users.batch_by_username",
    method: "GET",
    path: "/microblog/users/by",
    summary: "Up to 100 users by their handles",
    description: "Users come in the order of the handles; unknown ones are left out.",
    input: input({ usernames }),
    data: z.array(microblogUser),
    records: { kind: "list", rows: (data) => data, most: (given) => given.usernames.length },
    example: { usernames: ["sample_one", "sample_two", "sample_three"] },
  }),
  operation({
    id: "microblog.users.get_by_username",
    method: "GET",
    path: "/microblog/users/by/username/{username}",
    summary: "One user by handle",
    input: input({ username }),
    data: microblogUser,
    ...one,
    example: { username: "sample_one" },
  }),
  operation({
    id: "microblog.users.get",
    method: "GET",
    path: "/microblog/users/{id}",
    summary: "One user by id",
    input: input({ id }),
    data: microblogUser,
    ...one,
    example: { id: example },
  }),
  operation({
    id: "microblog.users.followers",
    method: "GET",
    path: "/microblog/users/{id}/followers",
    summary: "Followers of a user",
    input: input({ id, ...people }),
    data: z.array(microblogUser),
    ...pages,
    example: { id: example, limit: 10 },
  }),
  operation({
    id: "microblog.users.follower_ids",
    method: "GET",
    path: "/microblog/users/{id}/followers/ids",
    summary: "Ids of a user's followers",
    input: input({ id, ...manyIds }),
    data: z.array(z.string()),
    ...pages,
    example: { id: example, limit: 10 },
  }),
  operation({
    id: "microblog.users.following",
    method: "GET",
    path: "/microblog/users/{id}/following",
    summary: "Users that a user follows",
    input: input({ id, ...people }),
    data: z.array(microblogUser),
    ...pages,
    example: { id: example, limit: 10 },
  }),
  operation({
    id: "microblog.users.following_ids",
    method: "GET",
    path: "/microblog/users/{id}/following/ids",
    summary: "Ids of the users that a user follows",
    input: input({ id, ...manyIds }),
    data: z.array(z.string()),
    ...pages,
    example: { id: example, limit: 10 },
  }),
  operation({
    id: "microblog.users.liked_posts",
    method: "GET",
    path: "/microblog/users/{id}/liked_posts",
    summary: "Posts that a user liked",
    description: "Likes are private since 2024: for most users the list is empty.",
    input: input({ id, ...paging }),
    data: z.array(microblogPost),
    ...pages,
    example: { id: example, limit: 10 },
  }),
  operation({
    id: "microblog.users.posts",
    method: "GET",
    path: "/microblog/users/{id}/posts",
    summary: "Posts of a user, newest first",
    input: input({
      id,
      exclude: z
        .array(z.enum(["replies", "reposts", "retweets"]))
        .max(3)
        .optional()
        .describe("Kinds of posts to leave out; `retweets` is another spelling of `reposts`"),
      ...paging,
    }),
    data: z.array(microblogPost),
    ...pages,
    example: { id: example, limit: 10 },
  }),
  operation({
    id: "microblog.users.profile_translation",
    method: "GET",
    path: "/microblog/users/{id}/profile_translation",
    summary: "A user's description in another language",
    input: input({ id, language }),
    data: microblogProfileTranslation,
    ...one,
    example: { id: example, language: "de" },
  }),
  operation({
    id: "microblog.users.verified_followers",
    method: "GET",
    path: "/microblog/users/{id}/verified_followers",
    summary: "Verified followers of a user",
    input: input({ id, ...paging }),
    data: z.array(microblogUser),
    ...pages,
    example: { id: example, limit: 10 },
  }),
] as const;
