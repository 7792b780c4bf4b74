import * as z from "zod";
import { count } from "../../fields.ts";
import { registries } from "./registries.ts";

/** Records of packages, in one vocabulary over all registries. */

const moment = (what: string) => z.string().describe(`${what}, ISO 8601 in UTC`).optional();
const address = (what: string) => z.string().describe(`Address of ${what}`).optional();

const identity = {
  registry: z.enum(registries).describe("Registry of the package"),
  name: z.string().describe("Name of the package, as the registry spells it"),
  purl: z
    .string()
    .describe("Package URL (pkg:type/namespace/name@version), the id of a package everywhere"),
};
const licences = z
  .array(z.string())
  .describe("Licences as the registry states them, mostly SPDX expressions");
const about = {
  version: z.string().optional().describe("Latest version"),
  description: z.string().optional().describe("What it does, in a few words"),
  licenses: licences.optional(),
  keywords: z.array(z.string()).describe("Keywords of its authors"),
  homepage_url: address("the home page"),
  repository_url: address("the source code"),
  package_url: z.string().describe("Page of the package at its registry"),
};

export const packageHit = z
  .object({
    ...identity,
    ...about,
    updated_at: moment("When it was last changed"),
    total_downloads: count("Downloads of all time").optional(),
  })
  .meta({ id: "PackageHit" });

export const packageRecord = z
  .object({
    ...identity,
    ...about,
    documentation_url: address("the documentation"),
    authors: z.array(z.string()).describe("Names of the authors"),
    maintainers: z.array(z.string()).describe("User names of those who may publish versions"),
    created_at: moment("When the package appeared"),
    updated_at: moment("When it was last changed"),
    published_at: moment("When this version was published"),
    is_deprecated: z.boolean().describe("Whether its authors advise against it"),
    deprecated_reason: z.string().optional().describe("Why, in the words of its authors"),
    replaced_by: z.string().optional().describe("Package to use in its place"),
  })
  .meta({ id: "Package" });

export const packageVersions = z
  .object({
    ...identity,
    total_count: count("Number of versions"),
    versions: z
      .array(
        z
          .object({
            version: z.string().describe("Version"),
            purl: z.string().describe("Package URL of this version"),
            published_at: moment("When it was published"),
            is_default: z
              .boolean()
              .optional()
              .describe("Whether it is installed where no version is named"),
            is_deprecated: z.boolean().describe("Whether it is deprecated, retired or retracted"),
            deprecated_reason: z.string().optional().describe("Why, in the words of its authors"),
          })
          .meta({ id: "PackageVersion" }),
      )
      .describe("All versions, newest first"),
  })
  .meta({ id: "PackageVersions" });

export const dependencyKinds = ["runtime", "development", "build", "peer", "indirect"] as const;

export const packageDependencies = z
  .object({
    ...identity,
    version: z.string().describe("Version whose dependencies these are"),
    dependencies: z
      .array(
        z
          .object({
            name: z.string().describe("Name of the package that is required"),
            purl: z
              .string()
              .optional()
              .describe("Its package URL; absent for what is no package, such as `php`"),
            requirement: z
              .string()
              .optional()
              .describe("Accepted versions, in the registry's own form"),
            kind: z.enum(dependencyKinds).describe("When it is needed"),
            is_optional: z.boolean().describe("Whether the package works without it"),
            environment: z
              .string()
              .optional()
              .describe(
                "Condition under which it is needed: environment marker, target or framework",
              ),
          })
          .meta({ id: "PackageDependency" }),
      )
      .describe("Declared dependencies, unresolved"),
  })
  .meta({ id: "PackageDependencies" });

export const packageDownloads = z
  .object({
    ...identity,
    total: count("Downloads of all time").optional(),
    last_day: count("Downloads of the last day that is counted").optional(),
    last_week: count("Downloads of the last 7 days").optional(),
    last_month: count("Downloads of the last 30 days").optional(),
    last_90_days: count("Downloads of the last 90 days").optional(),
    series: z
      .array(
        z
          .object({
            date: z.string().describe("Day, YYYY-MM-DD in UTC"),
            downloads: count("Downloads of the day"),
          })
          .meta({ id: "PackageDownloadsDay" }),
      )
      .optional()
      .describe("Downloads by day, oldest first"),
  })
  .meta({ id: "PackageDownloads" });

export const endOfLifeProduct = z
  .object({
    name: z.string().describe("Name of the product in addresses"),
    title: z.string().describe("Name of the product for people"),
    category: z.string().optional().describe("lang, os, framework, database, server-app, …"),
    aliases: z.array(z.string()).describe("Other names"),
    tags: z.array(z.string()).describe("Tags"),
    purls: z.array(z.string()).describe("Package URLs of the product"),
    page_url: z.string().optional().describe("Page of the product"),
    release_policy_url: z.string().optional().describe("The vendor's page on releases"),
    releases: z
      .array(
        z
          .object({
            name: z.string().describe("Release cycle, such as `3.12`"),
            codename: z.string().optional().describe("Code name"),
            released_on: z.string().optional().describe("Day of its release, YYYY-MM-DD"),
            is_lts: z.boolean().optional().describe("Whether it has long-term support"),
            active_support_until: z
              .string()
              .optional()
              .describe("Last day of active support, YYYY-MM-DD"),
            is_end_of_life: z.boolean().optional().describe("Whether security support has ended"),
            end_of_life_on: z
              .string()
              .optional()
              .describe("Day on which security support ends, YYYY-MM-DD"),
            extended_support_until: z
              .string()
              .optional()
              .describe("Last day of extended support, YYYY-MM-DD"),
            is_maintained: z.boolean().optional().describe("Whether there is any support"),
            latest_version: z.string().optional().describe("Latest version of the cycle"),
            latest_released_on: z
              .string()
              .optional()
              .describe("Day of the latest version, YYYY-MM-DD"),
            latest_url: z.string().optional().describe("Notes on the latest version"),
          })
          .meta({ id: "EndOfLifeRelease" }),
      )
      .describe("Release cycles, newest first"),
  })
  .meta({ id: "EndOfLifeProduct" });

export type PackageHit = z.output<typeof packageHit>;
export type PackageRecord = z.output<typeof packageRecord>;
export type PackageVersions = z.output<typeof packageVersions>;
export type PackageDependencies = z.output<typeof packageDependencies>;
export type PackageDownloads = z.output<typeof packageDownloads>;
export type EndOfLifeProduct = z.output<typeof endOfLifeProduct>;
