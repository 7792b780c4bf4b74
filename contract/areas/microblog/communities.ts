import * as z from "zod";
import { text } from "../../fields.ts";
import { operation } from "../../operation.ts";
import { idOf, input, one, pages, paging, onlyPage } from "./input.ts";
import {
  microblogCommunity,
  microblogCommunityAbout,
  microblogCommunityMember,
  microblogFoundCommunity,
  microblogPost,
} from "./records.ts";

const id = idOf("community");
const example = "1500000000000000101";

export const communities = [
  operation({
    id: "microblog.communities.search",
    method: "GET",
    path: "/microblog/communities/search",
    summary: "Communities for a query",
    input: input({ q: text(1, 512, "Query"), ...paging }),
    data: z.array(microblogFoundCommunity),
    ...pages,
    example: { q: "kites", limit: 10 },
  }),
  operation({
    id: "microblog.communities.get",
    method: "GET",
    path: "/microblog/communities/{id}",
    summary: "One community",
    input: input({ id }),
    data: microblogCommunity,
    ...one,
    example: { id: example },
  }),
  operation({
    id: "microblog.communities.about",
    method: "GET",
    path: "/microblog/communities/{id}/about",
    summary: "A community with its rules and the people who run it",
    input: input({ id, ...onlyPage }),
    data: microblogCommunityAbout,
    onePage: true,
    ...one,
    example: { id: example },
  }),
  operation({
    id: "microblog.communities.media",
    method: "GET",
    path: "/microblog/communities/{id}/media",
    summary: "Posts with media in a community",
    input: input({ id, ...paging }),
    data: z.array(microblogPost),
    ...pages,
    example: { id: example, limit: 10 },
  }),
  operation({
    id: "microblog.communities.member_search",
    method: "GET",
    path: "/microblog/communities/{id}/member_search",
    summary: "Members of a community for a query",
    description: "The platform answers with one page.",
    input: input({ id, q: text(1, 50, "Handle or name, or its beginning"), ...paging }),
    data: z.array(microblogCommunityMember),
    ...pages,
    example: { id: example, q: "sample", limit: 5 },
  }),
  operation({
    id: "microblog.communities.members",
    method: "GET",
    path: "/microblog/communities/{id}/members",
    summary: "Members of a community",
    input: input({ id, ...paging }),
    data: z.array(microblogCommunityMember),
    ...pages,
    example: { id: example, limit: 10 },
  }),
  operation({
    id: "microblog.communities.moderators",
    method: "GET",
    path: "/microblog/communities/{id}/moderators",
    summary: "Moderators of a community",
    input: input({ id, ...paging }),
    data: z.array(microblogCommunityMember),
    ...pages,
    example: { id: example, limit: 10 },
  }),
  operation({
    id: "microblog.communities.posts",
    method: "GET",
    path: "/microblog/communities/{id}/posts",
    summary: "Posts in a community",
    input: input({ id, sort: z.enum(["top", "latest"]).default("top"), ...paging }),
    data: z.array(microblogPost),
    ...pages,
    example: { id: example, limit: 10 },
  }),
] as const;
