import type { Samples } from "./sample.ts";
import { slice, vary } from "./vary.ts";

/** Sample answers of OSV, which two areas use, written for this project. */

const day = (id: string, month: number) =>
  `2025-0${month}-${10 + vary("osv", id).int("day", 0, 17)}T09:00:00Z`;

/** Advisories of one page; the source itself sends up to a thousand. */
const pageSize = 40;

/** An advisory with an id, about a package. */
function vulnerability(id: string, name: string, ecosystem: string) {
  const v = vary("osv", id);
  return {
    id,
    schema_version: "1.7.0",
    aliases: [`CVE-2025-${v.int("cve", 10_000, 99_999)}`],
    summary: `${name} reads files outside of its folder`,
    details: "A path with `..` is **not** refused.",
    published: day(id, 1),
    modified: day(id, 2),
    withdrawn: day(id, 3),
    severity: [{ type: "CVSS_V3", score: "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:N/A:N" }],
    database_specific: { severity: "HIGH", cwe_ids: ["CWE-22"] },
    affected: [
      {
        package: { name, ecosystem, purl: `pkg:generic/${encodeURIComponent(name)}` },
        versions: ["2.0.0", "2.1.0"],
        ranges: [
          { type: "SEMVER", events: [{ introduced: "0" }, { fixed: "1.9.5" }] },
          { type: "SEMVER", events: [{ introduced: "2.0.0" }, { last_affected: "2.1.0" }] },
          { type: "GIT", repo: "https://code.example/sample", events: [{ introduced: "0" }] },
        ],
      },
    ],
    references: [{ type: "ADVISORY", url: `https://advisories.example/${id}` }],
  };
}

interface Question {
  package?: { name?: string; ecosystem?: string; purl?: string };
  page_token?: string;
}

const nameOf = ({ package: subject = {} }: Question) => subject.name ?? subject.purl ?? "sample";

export const osv: Samples = {
  upstream: "osv",
  answers: {
    "GET /v1/vulns/{id}": ({ parts }) => vulnerability(parts.id as string, "samplekit", "npm"),
    "POST /v1/querybatch": ({ body, empty }) => ({
      results: (body as { queries: Question[] }).queries.map((question) => {
        if (empty) return {};
        const v = vary("osv", nameOf(question));
        const ids = Array.from(
          { length: 2 },
          (_, index) => `GHSA-samp-${v.int(`id${index}`, 0, 99)}`,
        );
        return { vulns: ids.map((id) => ({ id, modified: day(id, 2) })), next_page_token: "2" };
      }),
    }),
    "POST /v1/query": ({ body, empty, secondPage }) => {
      if (empty) return {};
      const question = body as Question;
      const { package: subject = {}, page_token = "0" } = question;
      const name = nameOf(question);
      const offset = Number(page_token);
      const total = secondPage ? 600 : 3;
      const vulns = slice({ total, offset, count: pageSize }, (index) =>
        vulnerability(`GHSA-samp-${index}`, name, subject.ecosystem ?? "npm"),
      );
      const next = offset + pageSize;
      return { vulns, ...(next < total ? { next_page_token: String(next) } : {}) };
    },
  },
  faults: {
    not_found: { status: 404, body: { code: 5, message: "Bug not found." } },
    upstream_error: { status: 418, body: { message: "sample fault" } },
    upstream_unavailable: { status: 503, body: { message: "Service unavailable" } },
  },
};
