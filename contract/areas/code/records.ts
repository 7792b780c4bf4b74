import * as z from "zod";
import { count } from "../../fields.ts";
import { codeHosts } from "./hosts.ts";

/** Records of source code hosts, in one vocabulary over all of them. */

const moment = (what: string) => z.string().describe(`${what}, ISO 8601 in UTC`).optional();
const host = z.enum(codeHosts).describe("Host of the source code");

export const codeRepository = z
  .object({
    host,
    repository: z.string().describe("Name in its address, `owner/name`: its id everywhere here"),
    name: z.string(),
    owner: z.string().describe("User, organization or group in whose name it stands"),
    description: z.string().optional(),
    homepage_url: z.string().optional().describe("Address of the project's own page"),
    repository_url: z.string().describe("Page of the repository at its host"),
    avatar_url: z.string().optional().describe("Picture of the repository or of its owner"),
    default_branch: z.string().optional().describe("Branch that its page shows"),
    language: z.string().optional().describe("Programming language with the most code"),
    topics: z.array(z.string()).describe("Topics that its owner gave it"),
    license: z.string().optional().describe("Licence that the host found: an SPDX id, or its name"),
    star_count: count("Users who starred it").optional(),
    fork_count: count("Forks").optional(),
    watcher_count: count("Users who watch it").optional(),
    open_issue_count: count("Open issues; at GitHub with open pull requests").optional(),
    is_fork: z.boolean().describe("Whether it is a fork of another repository"),
    is_archived: z.boolean().describe("Whether it is read-only"),
    parent: z.string().optional().describe("Repository that it is a fork of"),
    created_at: moment("When it was created"),
    updated_at: moment("When it last changed"),
  })
  .meta({ id: "CodeRepository" });

export const codeRelease = z
  .object({
    tag: z.string().describe("Tag in the repository"),
    name: z.string().optional(),
    text: z.string().optional().describe("Notes of the release, Markdown"),
    is_prerelease: z.boolean().describe("Whether it is not meant for everybody yet"),
    author: z.string().optional().describe("User who published it"),
    created_at: moment("When it was created"),
    published_at: moment("When it was published"),
    url: z.string().optional().describe("Page of the release"),
    assets: z
      .array(
        z
          .object({
            name: z.string(),
            url: z.string().describe("Address of the file"),
            content_type: z.string().optional().describe("Media type"),
            size: count("Bytes").optional(),
            download_count: count("Downloads").optional(),
          })
          .meta({ id: "CodeReleaseAsset" }),
      )
      .describe("Files of the release, without the archives of its source code"),
  })
  .meta({ id: "CodeRelease" });

export const codeEntry = z
  .object({
    path: z.string().describe("Path from the root of the repository"),
    name: z.string(),
    type: z.enum(["file", "directory", "symlink", "submodule"]),
    sha: z.string().optional().describe("Git's id of the content"),
    size: count("Bytes of a file").optional(),
    url: z.string().optional().describe("Page of the entry at its host"),
  })
  .meta({ id: "CodeEntry" });

export const codeFile = z
  .object({
    host,
    repository: z.string(),
    path: z.string().describe("Path from the root of the repository"),
    name: z.string(),
    size: count("Bytes").optional(),
    sha: z.string().optional().describe("Git's id of the content"),
    is_binary: z.boolean().describe("Whether it is no text in UTF-8"),
    text: z
      .string()
      .optional()
      .describe("The file's text; absent for binary files and those too large for the host"),
    url: z.string().optional().describe("Page of the file at its host"),
  })
  .meta({ id: "CodeFile" });

export const codeIssue = z
  .object({
    number: z.int().describe("Number within the repository"),
    title: z.string(),
    text: z.string().optional().describe("First text of the issue, Markdown"),
    state: z.enum(["open", "closed"]),
    author: z.string().optional().describe("User who opened it"),
    labels: z.array(z.string()).describe("Names of its labels"),
    assignees: z.array(z.string()).describe("Users who are to resolve it"),
    milestone: z.string().optional().describe("Title of its milestone"),
    comment_count: count("Comments").optional(),
    created_at: moment("When it was opened"),
    updated_at: moment("When it last changed"),
    closed_at: moment("When it was closed"),
    url: z.string().describe("Page of the issue"),
  })
  .meta({ id: "CodeIssue" });

const profile = {
  host,
  username: z.string(),
  display_name: z.string().optional(),
  description: z.string().optional(),
  location: z.string().optional(),
  website_url: z.string().optional(),
  avatar_url: z.string().optional(),
  repository_count: count("Public repositories").optional(),
  follower_count: count("Followers").optional(),
  created_at: moment("When the account was created"),
  url: z.string().describe("Page of the account"),
};

export const codeUser = z
  .object({
    ...profile,
    type: z.enum(["user", "organization", "bot"]).optional(),
    company: z.string().optional().describe("Company, in the user's own words"),
    following_count: count("Accounts followed").optional(),
  })
  .meta({ id: "CodeUser" });

export const codeOrganization = z.object(profile).meta({ id: "CodeOrganization" });

export const codeContributor = z
  .object({
    username: z.string().optional().describe("Name of the account; GitLab has none"),
    display_name: z.string().optional().describe("Name in the commits; GitHub has none"),
    avatar_url: z.string().optional(),
    commit_count: count("Commits"),
    url: z.string().optional().describe("Page of the account"),
  })
  .meta({ id: "CodeContributor" });

export const codeLanguages = z
  .object({
    host,
    repository: z.string(),
    languages: z
      .array(
        z
          .object({
            name: z.string(),
            percent: z.number().describe("Share of the code in percent, to two places"),
            bytes: count("Bytes of code; GitLab has none").optional(),
          })
          .meta({ id: "CodeLanguage" }),
      )
      .describe("Programming languages, the largest first"),
  })
  .meta({ id: "CodeLanguages" });

export type CodeRepository = z.output<typeof codeRepository>;
export type CodeRelease = z.output<typeof codeRelease>;
export type CodeEntry = z.output<typeof codeEntry>;
export type CodeFile = z.output<typeof codeFile>;
export type CodeIssue = z.output<typeof codeIssue>;
export type CodeUser = z.output<typeof codeUser>;
export type CodeOrganization = z.output<typeof codeOrganization>;
export type CodeContributor = z.output<typeof codeContributor>;
export type CodeLanguages = z.output<typeof codeLanguages>;
