import * as z from "zod";
import { publishingChoice } from "../../publishing-choice.ts";

/** Registries of packages, in the order in which messages name them. */
export const registries = [
  "npm",
  "pypi",
  "crates",
  "rubygems",
  "packagist",
  "nuget",
  "maven",
  "hex",
  "pub",
  "go",
] as const;
export type Registry = (typeof registries)[number];

interface NameRule {
  rule: RegExp;
  form: string;
}

/** No part of a name may begin with a dot: names become parts of paths. */
const nameRules: Readonly<Record<Registry, NameRule>> = {
  npm: {
    rule: /^(@[a-z0-9~_-][a-z0-9._~-]*\/)?[a-z0-9~_-][a-z0-9._~-]*$/i,
    form: "`name` or `@scope/name`",
  },
  pypi: { rule: /^[a-z0-9][a-z0-9._-]*$/i, form: "letters, digits, `.`, `_` and `-`" },
  crates: { rule: /^[a-z][a-z0-9_-]*$/i, form: "a letter, then letters, digits, `_` and `-`" },
  rubygems: { rule: /^[a-z0-9_-][a-z0-9._-]*$/i, form: "letters, digits, `.`, `_` and `-`" },
  packagist: { rule: /^[a-z0-9][a-z0-9_.-]*\/[a-z0-9][a-z0-9_.-]*$/i, form: "`vendor/name`" },
  nuget: { rule: /^[a-z0-9_][a-z0-9_.-]*$/i, form: "letters, digits, `.`, `_` and `-`" },
  maven: { rule: /^[a-z0-9_][a-z0-9_.-]*:[a-z0-9_][a-z0-9_.-]*$/i, form: "`group:artifact`" },
  hex: { rule: /^[a-z][a-z0-9_]*$/, form: "a small letter, then small letters, digits and `_`" },
  pub: { rule: /^[a-z_][a-z0-9_]*$/, form: "small letters, digits and `_`" },
  go: {
    rule: /^[a-z0-9][a-z0-9.~_-]*(\/[a-z0-9~_-][a-z0-9.~_-]*)*$/i,
    form: "the path of a module, such as `github.com/owner/name`",
  },
};

/** The registry of a call; one without `what` is refused with those that have it. */
export const registryWith = <const Names extends readonly Registry[]>(what: string, names: Names) =>
  publishingChoice("Registry", registries, what, names);

export const packageName = z
  .string()
  .trim()
  .min(1)
  .max(214)
  .describe("Name as the registry spells it: `@scope/name`, `vendor/name`, `group:artifact`, …");

const release = "[A-Za-z0-9][A-Za-z0-9_.+!~-]{0,127}";
/** A branch has a version at Packagist, `dev-` and its name; git refuses these signs in names. */
const branch = "dev-(?!.*\\.\\.)[^\\s\\p{Cc}~^:?*[\\\\]{1,250}";

export const packageVersion = z
  .string()
  .trim()
  .regex(new RegExp(`^(${release}|${branch})$`, "u"), {
    message:
      "must be a version of 1 to 128 letters, digits, `.`, `_`, `+`, `!`, `~` and `-`, at Packagist also `dev-` and the name of a branch",
  })
  .describe(
    "Version as the registry spells it, without a range; at Packagist also that of a branch, `dev-main`",
  );

/** Refuses a name that cannot be one of the registry's. */
export function checkName(
  { registry, name }: { registry: Registry; name: string },
  context: z.RefinementCtx,
): void {
  const { rule, form } = nameRules[registry];
  if (rule.test(name)) return;
  context.addIssue({
    code: "custom",
    path: ["name"],
    message: `must be a name of ${registry}: ${form}`,
  });
}

const ofRelease = new RegExp(`^${release}$`);
const ofBranch = new RegExp(`^${branch}$`, "u");

/** Refuses a name that cannot be one of the registry's, and the version of a branch where it has none. */
export function checkRelease(
  input: { registry: Registry; name: string; version?: string | undefined },
  context: z.RefinementCtx,
): void {
  checkName(input, context);
  const { registry, version } = input;
  if (version === undefined || registry === "packagist") return;
  if (ofRelease.test(version) || !ofBranch.test(version)) return;
  context.addIssue({
    code: "custom",
    path: ["version"],
    message: `must be a version of ${registry}, without slashes`,
  });
}
