import * as z from "zod";
import type { Source } from "../../source.ts";
import { publishingChoice } from "../../publishing-choice.ts";

/** Hosts of source code, in the order in which messages name them. */
export const codeHosts = ["github", "gitlab", "codeberg"] as const;
export type CodeHost = (typeof codeHosts)[number];

export const codeSources: Readonly<Record<CodeHost, Source>> = {
  github: {
    name: "GitHub",
    url: "https://github.com",
    licence: "terms of use",
    terms: "https://docs.github.com/en/site-policy/github-terms/github-terms-of-service",
  },
  gitlab: {
    name: "GitLab.com",
    url: "https://gitlab.com",
    licence: "terms of use",
    terms: "https://handbook.gitlab.com/handbook/legal/api-terms/",
  },
  codeberg: {
    name: "Codeberg",
    url: "https://codeberg.org",
    licence: "terms of use",
    terms: "https://codeberg.org/Codeberg/org/src/branch/main/TermsOfUse.md",
  },
};

/** The host of a call; one without `what` is refused with those that have it. */
export const hostWith = <const Names extends readonly CodeHost[]>(what: string, names: Names) =>
  publishingChoice("Host", codeHosts, what, names);

const namePart = "[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}";
/** A repository may begin with a dot or a dash, as `.github` does; `.` and `..` would leave the folder. */
const laterPart = "\\.?[A-Za-z0-9_-][A-Za-z0-9_.-]{0,99}";

export const repositoryName = z
  .string()
  .trim()
  .max(300)
  .regex(new RegExp(`^${namePart}(/${laterPart}){1,9}$`), {
    message: "must be `owner/name`, at GitLab also `group/subgroup/name`",
  })
  .describe(
    "Repository as its address names it: `owner/name`, at GitLab also `group/subgroup/name`",
  );

/** Refuses a repository within groups where the host has none. */
export function checkRepository(
  { host, repository }: { host: CodeHost; repository: string },
  context: z.RefinementCtx,
): void {
  if (host === "gitlab" || repository.split("/").length === 2) return;
  context.addIssue({
    code: "custom",
    path: ["repository"],
    message: `must be \`owner/name\` at ${host}`,
  });
}

export const filePath = z
  .string()
  .trim()
  .max(1000)
  .regex(/^[^/\p{Cc}\\]+(\/[^/\p{Cc}\\]+)*$/u, {
    message: "must be a path from the root of the repository without a slash at its ends",
  })
  .refine((path) => path.split("/").every((part) => !/^\.{1,2}$/.test(part)), {
    message: "must not contain the parts `.` and `..`",
  })
  .describe("Path from the root of the repository, such as `src/index.ts`");

export const gitRef = z
  .string()
  .trim()
  .min(1)
  .max(255)
  // Git refuses these characters in a name (git-check-ref-format), and takes tags such as `@scope/kit@1.0.0`.
  .regex(/^(?!-)[^\s\p{Cc}~^:?*[\\]*$/u, {
    message: "must be the name of a branch or tag, or a commit",
  })
  .describe("Branch, tag or commit; the default branch where it is absent");
