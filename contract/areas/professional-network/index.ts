import * as z from "zod";
import { id, page, perPage } from "../../fields.ts";
import { area, operation } from "../../operation.ts";
import {
  professionalNetworkComment,
  professionalNetworkCompany,
  professionalNetworkJob,
  professionalNetworkPost,
  professionalNetworkUser,
} from "./records.ts";

// Internal ids of members begin with ACoAA and are no public identifiers.
const publicIdentifier = id(
  /^[\p{L}\p{N}_.-]{3,100}$/u,
  "Last part of the address of the user's page",
  "3 to 100 letters, digits, `_`, `.` or `-` in any case, and no member id (ACoAA…)",
  (given) => (given.startsWith("ACoAA") ? "" : given.toLowerCase()),
);
const universalName = id(
  /^(?![0-9]+$)[\p{L}\p{N}_.&-]{1,100}$/u,
  "Last part of the address of the company's page",
  "1 to 100 letters, digits, `_`, `.`, `&` or `-` in any case, not digits alone",
  (given) => given.toLowerCase(),
);
const postId = id(
  /^(?:urn:li:(?:activity|share|ugcPost):)?[0-9]{15,20}$/,
  "Post",
  "its activity number of 15 to 20 digits, or its URN (urn:li:activity:…)",
);
const paging = page({ most: 50, default: 20 });

export const professionalNetwork = area({
  name: "professional-network",
  summary: "Users, companies, posts, comments and jobs of the professional network",
  pool: "social",
  operations: [
    operation({
      id: "professional_network.users.get",
      method: "GET",
      path: "/professional-network/users/{public_identifier}",
      summary: "One user",
      input: z.strictObject({ public_identifier: publicIdentifier }),
      data: professionalNetworkUser,
      records: { kind: "one" },
      example: { public_identifier: "jane-sample" },
    }),
    operation({
      id: "professional_network.users.posts",
      method: "GET",
      path: "/professional-network/users/{public_identifier}/posts",
      summary: "Posts and reposts of a user",
      input: z.strictObject({ public_identifier: publicIdentifier, ...paging }),
      data: z.array(professionalNetworkPost),
      paginated: true,
      records: perPage,
      example: { public_identifier: "jane-sample", limit: 5 },
    }),
    operation({
      id: "professional_network.companies.get",
      method: "GET",
      path: "/professional-network/companies/{universal_name}",
      summary: "One company",
      input: z.strictObject({ universal_name: universalName }),
      data: professionalNetworkCompany,
      records: { kind: "one" },
      example: { universal_name: "sample-works" },
    }),
    operation({
      id: "professional_network.companies.posts",
      method: "GET",
      path: "/professional-network/companies/{universal_name}/posts",
      summary: "Posts and reposts of a company",
      input: z.strictObject({
        universal_name: universalName,
        sort: z.enum(["recent", "top"]).default("recent"),
        ...paging,
      }),
      data: z.array(professionalNetworkPost),
      paginated: true,
      records: perPage,
      example: { universal_name: "sample-works", limit: 5 },
    }),
    operation({
      id: "professional_network.companies.jobs",
      method: "GET",
      path: "/professional-network/companies/{universal_name}/jobs",
      summary: "Open jobs of a company",
      input: z.strictObject({ universal_name: universalName, ...paging }),
      data: z.array(professionalNetworkJob),
      paginated: true,
      records: perPage,
      example: { universal_name: "sample-works", limit: 5 },
    }),
    operation({
      id: "professional_network.posts.get",
      method: "GET",
      path: "/professional-network/posts/{post_id}",
      summary: "One post",
      input: z.strictObject({ post_id: postId }),
      data: professionalNetworkPost,
      records: { kind: "one" },
      example: { post_id: "7300000000000000123" },
    }),
    operation({
      id: "professional_network.posts.comments",
      method: "GET",
      path: "/professional-network/posts/{post_id}/comments",
      summary: "Comments on a post",
      input: z.strictObject({
        post_id: postId,
        sort: z.enum(["relevance", "recent"]).default("relevance"),
        ...paging,
      }),
      data: z.array(professionalNetworkComment),
      paginated: true,
      records: perPage,
      example: { post_id: "7300000000000000123", limit: 5 },
    }),
  ],
});
