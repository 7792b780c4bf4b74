import * as z from "zod";
import { advisory, osv } from "../../advisory.ts";
import { id, page, perPage } from "../../fields.ts";
import { area, operation } from "../../operation.ts";
import { packageUrl } from "../../purl.ts";
import type { Source } from "../../source.ts";
import { crtSh, loggedCertificate } from "./certificates.ts";
import {
  addressInput,
  addressRegistration,
  domainInput,
  domainRegistration,
  rdapServices,
} from "./registrations.ts";

const publicResolver: Source = {
  name: "Cloudflare 1.1.1.1",
  url: "https://one.one.one.one",
  licence: "terms of use",
  terms: "https://developers.cloudflare.com/1.1.1.1/terms-of-use/",
};

const advisoryIds = z
  .object({
    packages: z
      .array(
        z
          .object({
            purl: z.string().describe("Package URL, as it was given"),
            advisories: z
              .array(
                z
                  .object({
                    id: z.string().describe("Id of the advisory"),
                    modified_at: z
                      .string()
                      .optional()
                      .describe("When it was last changed, ISO 8601 in UTC"),
                  })
                  .meta({ id: "AdvisoryReferenceById" }),
              )
              .describe("Advisories that affect it"),
            is_complete: z
              .boolean()
              .describe(
                "False where there are more or some could not be read; `/security/advisories` then has them all",
              ),
          })
          .meta({ id: "AffectedPackageIds" }),
      )
      .describe("The packages in the order of the request"),
  })
  .meta({ id: "AdvisoryIds" });

/** Kinds of DNS records. */
export const dnsTypes = [
  "A",
  "AAAA",
  "CAA",
  "CNAME",
  "DNSKEY",
  "DS",
  "HTTPS",
  "MX",
  "NS",
  "PTR",
  "SOA",
  "SRV",
  "TLSA",
  "TXT",
] as const;

const dnsAnswer = z
  .object({
    name: z.string().describe("Name that was asked for"),
    type: z.enum(dnsTypes).describe("Kind of records that was asked for"),
    is_authenticated: z.boolean().describe("Whether DNSSEC vouches for the answer"),
    records: z
      .array(
        z
          .object({
            name: z.string().describe("Name of the record, which an alias leads to"),
            type: z.string().describe("Kind of the record: A, CNAME, … or TYPE and a number"),
            ttl: z.int().min(0).describe("Seconds for which it may be kept"),
            data: z.string().describe("Its value as text; of TXT the text itself, in one piece"),
          })
          .meta({ id: "DnsRecord" }),
      )
      .describe("Records, with the aliases that lead to them"),
  })
  .meta({ id: "DnsAnswer" });

export type DnsAnswer = z.output<typeof dnsAnswer>;
export type AdvisoryIds = z.output<typeof advisoryIds>;

export const security = area({
  name: "security",
  summary:
    "Security advisories, registrations of domains and addresses, records of the DNS, and logged certificates",
  pool: "social",
  operations: [
    operation({
      id: "security.advisories.get",
      method: "GET",
      path: "/security/advisories/{id}",
      summary: "One security advisory",
      input: z.strictObject({
        id: id(
          /^[A-Za-z][A-Za-z0-9]*-[A-Za-z0-9:._-]{1,100}$/,
          "Advisory",
          "an id such as `GHSA-…`, `CVE-…` or `PYSEC-…`, of up to 100 characters behind the first `-`, whose case counts",
        ),
      }),
      data: advisory,
      records: { kind: "one" },
      sources: [osv],
      example: { id: "GHSA-samp-1" },
    }),
    operation({
      id: "security.advisories.by_package",
      method: "GET",
      path: "/security/advisories",
      summary: "Advisories that affect a package or one version of it, by its package URL",
      description: "Without a version in the package URL, the advisories of all versions.",
      input: z.strictObject({ purl: packageUrl, ...page({ most: 500, default: 50 }) }),
      data: z.array(advisory),
      paginated: true,
      records: perPage,
      sources: [osv],
      example: { purl: "pkg:npm/samplekit@2.1.0", limit: 5 },
    }),
    operation({
      id: "security.advisories.batch",
      method: "POST",
      path: "/security/advisories/batch",
      summary: "Ids of the advisories that affect each of up to 500 packages",
      description:
        "The whole answer is one record; `/security/advisories/{id}` has an advisory's text.",
      input: z.strictObject({
        purls: z
          .array(packageUrl)
          .min(1)
          .max(500)
          .describe("Package URLs, with or without versions"),
      }),
      data: advisoryIds,
      records: { kind: "one" },
      sources: [osv],
      example: { purls: ["pkg:npm/samplekit@2.1.0"] },
    }),
    operation({
      id: "security.domains.get",
      method: "GET",
      path: "/security/domains/{domain}",
      summary: "Registration of a domain",
      description: "A domain whose registry has no RDAP service is `not_found`, as is a free one.",
      input: z.strictObject({ domain: domainInput }),
      data: domainRegistration,
      records: { kind: "one" },
      sources: [rdapServices],
      example: { domain: "sample.example" },
    }),
    operation({
      id: "security.addresses.get",
      method: "GET",
      path: "/security/addresses/{address}",
      summary: "Registration of the network that holds an address",
      input: z.strictObject({ address: addressInput }),
      data: addressRegistration,
      records: { kind: "one" },
      sources: [rdapServices],
      example: { address: "192.0.2.10" },
    }),
    operation({
      id: "security.dns.get",
      method: "GET",
      path: "/security/dns/{name}",
      summary: "Records of a name in the DNS",
      description: "A name that does not exist is `not_found`.",
      input: z.strictObject({
        name: id(
          /^[a-z0-9_][a-z0-9_-]{0,62}(\.[a-z0-9_][a-z0-9_-]{0,62}){0,39}$/,
          "Name",
          "1 to 40 parts of up to 63 letters, digits, `_` or `-`, with dots between them; other scripts as Punycode (`xn--…`)",
          (given) => given.toLowerCase().replace(/\.$/, ""),
        ),
        type: z.enum(dnsTypes).default("A").describe("Kind of records"),
      }),
      data: dnsAnswer,
      records: { kind: "one", isNone: ({ records }) => records.length === 0 },
      sources: [publicResolver],
      example: { name: "www.sample.example", type: "A" },
    }),
    operation({
      id: "security.certificates.search",
      method: "GET",
      path: "/security/certificates",
      summary: "Certificates of a domain in the public logs, the latest first",
      description:
        "The source shows up to 10,000 certificates of a domain, and is slow or closed at times.",
      input: z.strictObject({
        domain: domainInput,
        include_subdomains: z
          .boolean()
          .default(true)
          .describe("Also certificates of names below the domain"),
        include_expired: z.boolean().default(false).describe("Also certificates that have ended"),
        ...page({ most: 1000, default: 100 }),
      }),
      data: z.array(loggedCertificate),
      paginated: true,
      records: perPage,
      sources: [crtSh],
      deadlineMs: () => 120_000,
      example: { domain: "sample.example", limit: 5 },
    }),
  ],
});
