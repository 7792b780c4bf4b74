import * as z from "zod";
import { page, perPage, text } from "../../fields.ts";
import { area, operation } from "../../operation.ts";
import {
  checkRepository,
  codeHosts,
  codeSources,
  filePath,
  gitRef,
  hostWith,
  repositoryName,
} from "./hosts.ts";
import {
  codeContributor,
  codeEntry,
  codeFile,
  codeIssue,
  codeLanguages,
  codeOrganization,
  codeRelease,
  codeRepository,
  codeUser,
} from "./records.ts";

const sources = Object.values(codeSources);
const ofRepository = { host: hostWith("repositories", codeHosts), repository: repositoryName };
/** A program that acts at GitHub is an account as well: `dependabot[bot]`. */
const username = z
  .string()
  .trim()
  .regex(/^[A-Za-z0-9_][A-Za-z0-9_.-]{0,254}(\[bot\])?$/, {
    message:
      "must be a name of 1 to 255 letters, digits, `_`, `.` and `-`, which `[bot]` may follow",
  })
  .describe("Name of the user, as it stands in its address; that of a program ends in `[bot]`");
const ofUser = { host: hostWith("users", codeHosts), username };
const list = { ...page({ most: 100, default: 20 }) };
const kit = { host: "github", repository: "sample/kit" } as const;

export const code = area({
  name: "code",
  summary: "Repositories of source code, their releases, files and issues, and their people",
  pool: "social",
  operations: [
    operation({
      id: "code.repositories.get",
      method: "GET",
      path: "/code/repository",
      summary: "One repository",
      input: z.strictObject(ofRepository).superRefine(checkRepository),
      data: codeRepository,
      records: { kind: "one" },
      sources,
      example: kit,
    }),
    operation({
      id: "code.repositories.search",
      method: "GET",
      path: "/code/repositories",
      summary: "Repositories of a host that match words",
      description: "GitHub shows the first 1,000 of a search.",
      input: z.strictObject({
        host: hostWith("search", codeHosts),
        query: text(1, 200, "Words to search for"),
        sort: z
          .enum(["best", "stars", "updated"])
          .default("best")
          .describe("Order: the host's own, most stars, or changed last"),
        ...list,
      }),
      data: z.array(codeRepository),
      paginated: true,
      records: perPage,
      sources,
      example: { host: "github", query: "date format", limit: 5 },
    }),
    operation({
      id: "code.releases",
      method: "GET",
      path: "/code/releases",
      summary: "Releases of a repository, newest first",
      input: z.strictObject({ ...ofRepository, ...list }).superRefine(checkRepository),
      data: z.array(codeRelease),
      paginated: true,
      records: perPage,
      sources,
      example: { ...kit, limit: 5 },
    }),
    operation({
      id: "code.contents",
      method: "GET",
      path: "/code/contents",
      summary: "Files and directories in a directory of a repository",
      description: "GitHub shows the first 1,000 entries of a directory.",
      input: z
        .strictObject({
          ...ofRepository,
          path: filePath.optional(),
          ref: gitRef.optional(),
          ...page({ most: 1000, default: 100 }),
        })
        .superRefine(checkRepository),
      data: z.array(codeEntry),
      paginated: true,
      records: perPage,
      sources,
      example: { ...kit, path: "src", limit: 5 },
    }),
    operation({
      id: "code.file",
      method: "GET",
      path: "/code/file",
      summary: "One file of a repository with its text",
      description: "Files of more than 1 MB have no text at GitHub.",
      input: z
        .strictObject({ ...ofRepository, path: filePath, ref: gitRef.optional() })
        .superRefine(checkRepository),
      data: codeFile,
      records: { kind: "one" },
      sources,
      example: { ...kit, path: "src/index.ts" },
    }),
    operation({
      id: "code.readme",
      method: "GET",
      path: "/code/readme",
      summary: "The README of a repository with its text",
      input: z.strictObject(ofRepository).superRefine(checkRepository),
      data: codeFile,
      records: { kind: "one" },
      sources,
      example: kit,
    }),
    operation({
      id: "code.issues.list",
      method: "GET",
      path: "/code/issues",
      summary: "Issues of a repository, newest first, without pull requests",
      input: z
        .strictObject({
          ...ofRepository,
          state: z.enum(["open", "closed", "all"]).default("open").describe("State of the issues"),
          label: text(1, 100, "Only issues with this label").optional(),
          ...list,
        })
        .superRefine(checkRepository),
      data: z.array(codeIssue),
      paginated: true,
      records: perPage,
      sources,
      example: { ...kit, state: "all", limit: 5 },
    }),
    operation({
      id: "code.issues.get",
      method: "GET",
      path: "/code/issue",
      summary: "One issue of a repository",
      input: z
        .strictObject({
          ...ofRepository,
          number: z.int().min(1).max(1_000_000_000).describe("Number within the repository"),
        })
        .superRefine(checkRepository),
      data: codeIssue,
      records: { kind: "one" },
      sources,
      example: { ...kit, number: 7 },
    }),
    operation({
      id: "code.users.get",
      method: "GET",
      path: "/code/user",
      summary: "One user of a host",
      input: z.strictObject(ofUser),
      data: codeUser,
      records: { kind: "one" },
      sources,
      example: { host: "github", username: "sample" },
    }),
    operation({
      id: "code.users.repositories",
      method: "GET",
      path: "/code/user/repositories",
      summary: "Public repositories of a user",
      input: z.strictObject({ ...ofUser, ...list }),
      data: z.array(codeRepository),
      paginated: true,
      records: perPage,
      sources,
      example: { host: "github", username: "sample", limit: 5 },
    }),
    operation({
      id: "code.organizations.get",
      method: "GET",
      path: "/code/organization",
      summary: "One organization; at GitLab a group",
      input: z.strictObject({
        host: hostWith("organizations", codeHosts),
        organization: z
          .string()
          .trim()
          .max(255)
          .regex(/^[A-Za-z0-9_][A-Za-z0-9_.-]*(\/[A-Za-z0-9_][A-Za-z0-9_.-]*)*$/, {
            message: "must be a name, at GitLab also `group/subgroup`",
          })
          .describe("Name, as it stands in its address; at GitLab also `group/subgroup`"),
      }),
      data: codeOrganization,
      records: { kind: "one" },
      sources,
      example: { host: "github", organization: "sample-org" },
    }),
    operation({
      id: "code.contributors",
      method: "GET",
      path: "/code/contributors",
      summary: "Authors of a repository's commits, those with the most commits first",
      input: z
        .strictObject({
          host: hostWith("contributors", ["github", "gitlab"]),
          repository: repositoryName,
          ...list,
        })
        .superRefine(checkRepository),
      data: z.array(codeContributor),
      paginated: true,
      records: perPage,
      sources: [codeSources.github, codeSources.gitlab],
      example: { ...kit, limit: 5 },
    }),
    operation({
      id: "code.languages",
      method: "GET",
      path: "/code/languages",
      summary: "Programming languages of a repository with their shares",
      input: z.strictObject(ofRepository).superRefine(checkRepository),
      data: codeLanguages,
      records: { kind: "one", isNone: ({ languages }) => languages.length === 0 },
      sources,
      example: kit,
    }),
  ],
});
