import * as z from "zod";
import type { Source } from "./source.ts";

/** Security advisories in the vocabulary of the Open Source Vulnerability format. */

export const osv: Source = {
  name: "OSV",
  url: "https://osv.dev",
  licence: "the licence of each advisory's database",
  terms: "https://google.github.io/osv.dev/data/",
};

const moment = (what: string) => z.string().describe(`${what}, ISO 8601 in UTC`);

const affectedPackage = z
  .object({
    ecosystem: z.string().optional().describe("Ecosystem in the spelling of OSV: npm, PyPI, …"),
    name: z.string().optional().describe("Name of the package"),
    purl: z.string().optional().describe("Package URL, without a version"),
    versions: z.array(z.string()).describe("Affected versions that the advisory lists one by one"),
    ranges: z
      .array(
        z
          .object({
            type: z.string().optional().describe("SEMVER, ECOSYSTEM or GIT"),
            repository_url: z.string().optional().describe("Repository of a range of commits"),
            introduced: z
              .string()
              .optional()
              .describe("First affected version; `0` is the first of all"),
            fixed: z.string().optional().describe("First version that is no longer affected"),
            last_affected: z.string().optional().describe("Last affected version"),
          })
          .meta({ id: "AdvisoryRange" }),
      )
      .describe("Affected ranges of versions"),
  })
  .meta({ id: "AdvisoryAffected" });

export const advisory = z
  .object({
    id: z.string().describe("Id of the advisory: GHSA-…, CVE-…, PYSEC-…, …"),
    aliases: z.array(z.string()).describe("Ids of the same advisory elsewhere, such as its CVE"),
    summary: z.string().optional().describe("What it is, in a line"),
    details: z.string().optional().describe("Markdown"),
    severity: z
      .string()
      .optional()
      .describe("Severity in a word, where the database states it: LOW, MODERATE, HIGH, CRITICAL"),
    cvss: z
      .array(
        z
          .object({
            type: z.string().describe("CVSS_V2, CVSS_V3 or CVSS_V4"),
            vector: z.string().describe("CVSS vector"),
          })
          .meta({ id: "AdvisoryCvss" }),
      )
      .describe("Severity as CVSS vectors"),
    cwe_ids: z.array(z.string()).describe("Weaknesses, such as CWE-79"),
    published_at: moment("When it was published").optional(),
    modified_at: moment("When it was last changed").optional(),
    withdrawn_at: moment("When it was withdrawn").optional(),
    affected: z.array(affectedPackage).describe("Affected packages"),
    references: z
      .array(
        z
          .object({
            type: z.string().optional().describe("ADVISORY, FIX, WEB, REPORT, …"),
            url: z.string().describe("Address of the page"),
          })
          .meta({ id: "AdvisoryReference" }),
      )
      .describe("Pages about it"),
    url: z.string().describe("Page of the advisory at osv.dev"),
  })
  .meta({ id: "Advisory" });

export type Advisory = z.output<typeof advisory>;
