import type { SampleRequest, Samples } from "../../../sandbox/sample.ts";
import { vary } from "../../../sandbox/vary.ts";
import { asked, day, faults, searched, words } from "./rows.ts";

/** Sample answers of the registries, written for this project. */

const plain = (name: string) => name.replaceAll(/[^a-z0-9]+/gi, "-").replace(/^-/, "");
const site = (name: string) => `https://${plain(name)}.example`;
const repository = (name: string) => `https://code.example/sample/${plain(name)}`;
const about = (name: string) => vary("package", name);
const described = (name: string) => `${about(name).pick("words", words)} (${name})`;

/** Offset and count of a page that is counted from 1. */
const pageOf = ({ query = {} }: SampleRequest, size: number) => ({
  offset: (asked(query.page, 1) - 1) * size,
  count: size,
});

const npmManifest = (name: string) => ({
  name,
  version: "2.1.0",
  description: described(name),
  license: "MIT",
  keywords: ["dates", "format"],
  homepage: site(name),
  repository: { type: "git", url: `git+${repository(name)}.git` },
  author: { name: "Sam Sample", email: "sam@sample.example" },
  maintainers: [{ name: "sam", email: "sam@sample.example" }],
  deprecated: "Use sample-next, which needs no configuration",
});

export const npm: Samples = {
  upstream: "npm",
  answers: {
    "GET /-/v1/search": (request) => {
      const { query = {} } = request;
      const objects = searched(
        request,
        { offset: asked(query.from, 0), count: asked(query.size, 20) },
        (index) => {
          const name = `@sample/kit-${index}`;
          return {
            package: {
              ...npmManifest(name),
              date: day(name),
              links: {
                npm: `https://npm.example/${name}`,
                homepage: site(name),
                repository: repository(name),
              },
              publisher: { username: "sam" },
            },
            score: { final: 0.9 },
          };
        },
      );
      return { objects, total: objects.length, time: "2026-01-05T10:00:00.000Z" };
    },
    "GET /{name}/latest": ({ parts }) => npmManifest(parts.name as string),
  },
  faults,
};

export const npmDownloads: Samples = {
  upstream: "npm-downloads",
  answers: {
    "GET /downloads/range/last-month/{name}": ({ parts }) => month(parts.name as string),
    "GET /downloads/range/last-month/{scope}/{name}": ({ parts }) =>
      month(`${parts.scope}/${parts.name}`),
  },
  faults,
};

function month(name: string) {
  const days = Array.from({ length: 30 }, (_, index) => ({
    downloads: about(name).int(`day${index}`, 900, 4000),
    day: new Date(Date.UTC(2026, 2, 1 + index)).toISOString().slice(0, 10),
  }));
  return { start: days[0]?.day, end: days[29]?.day, package: name, downloads: days };
}

export const pypi: Samples = {
  upstream: "pypi",
  answers: {
    "GET /pypi/{name}/json": ({ parts }) => {
      const name = parts.name as string;
      return {
        info: {
          name,
          version: "2.1.0",
          summary: described(name),
          license: "",
          license_expression: "BSD-3-Clause",
          keywords: "dates, format",
          home_page: null,
          author: "Sam Sample",
          maintainer: "sam",
          project_urls: {
            Homepage: site(name),
            Documentation: `${site(name)}/docs`,
            Source: repository(name),
          },
          yanked: true,
          yanked_reason: "Breaks on leap days",
        },
        releases: {},
        urls: [{ filename: `${name}-2.1.0.tar.gz`, upload_time_iso_8601: day(name) }],
      };
    },
  },
  faults,
};

export const pypiStats: Samples = {
  upstream: "pypistats",
  answers: {
    "GET /api/packages/{name}/recent": ({ parts }) => {
      const last_day = about(parts.name as string).int("day", 900, 4000);
      return {
        data: { last_day, last_week: last_day * 6, last_month: last_day * 27 },
        package: parts.name,
        type: "recent_downloads",
      };
    },
  },
  faults,
};

const crate = (name: string) => ({
  id: name,
  name,
  max_version: "2.2.0-beta.1",
  max_stable_version: "2.1.0",
  description: described(name),
  keywords: ["dates"],
  homepage: site(name),
  repository: repository(name),
  documentation: `${site(name)}/docs`,
  downloads: about(name).int("all", 90_000, 400_000),
  recent_downloads: about(name).int("recent", 900, 40_000),
  created_at: "2021-04-05T06:07:08.000000+00:00",
  updated_at: day(name),
});

export const crates: Samples = {
  upstream: "crates",
  answers: {
    "GET /api/v1/crates": (request) => {
      const found = searched(
        request,
        pageOf(request, asked(request.query?.per_page, 10)),
        (index) => crate(`kit-${index}`),
      );
      return { crates: found, meta: { total: found.length, next_page: null } };
    },
    "GET /api/v1/crates/{name}": ({ parts }) => {
      const name = parts.name as string;
      return {
        crate: crate(name),
        versions: [
          { num: "2.2.0-beta.1", license: "MIT", created_at: day(name, 2), yanked: false },
          {
            num: "2.1.0",
            license: "MIT OR Apache-2.0",
            created_at: day(name, 1),
            yanked: true,
            yank_message: "Breaks on leap days",
          },
        ],
      };
    },
  },
  faults,
};

const gem = (name: string) => ({
  name,
  version: "2.1.0",
  downloads: about(name).int("all", 90_000, 400_000),
  info: described(name),
  licenses: ["MIT"],
  authors: "Sam Sample, Alex Example",
  homepage_uri: site(name),
  source_code_uri: repository(name),
  documentation_uri: `${site(name)}/docs`,
  version_created_at: day(name),
  yanked: false,
});

export const rubygems: Samples = {
  upstream: "rubygems",
  answers: {
    "GET /api/v1/search.json": (request) =>
      searched(request, pageOf(request, 30), (index) => gem(`kit-${index}`)),
    "GET /api/v1/gems/{name}.json": ({ parts }) => gem(parts.name as string),
  },
  faults,
};

const composerVersion = (name: string, version: string, normal: string, more: object = {}) => ({
  name,
  version,
  version_normalized: normal,
  description: described(name),
  license: ["MIT"],
  keywords: ["dates"],
  homepage: site(name),
  authors: [{ name: "Sam Sample" }],
  source: { type: "git", url: `${repository(name)}.git` },
  time: day(name, version),
  require: { php: ">=8.2", "sample/base": "^1.2" },
  "require-dev": { "sample/checks": "^3.0" },
  ...more,
});

export const packagist: Samples = {
  upstream: "packagist",
  answers: {
    "GET /search.json": (request) => {
      const size = asked(request.query?.per_page, 15);
      const results = searched(request, pageOf(request, size), (index) => {
        const name = `sample/kit-${index}`;
        return {
          name,
          description: described(name),
          url: `https://packagist.example/${name}`,
          repository: repository(name),
          downloads: about(name).int("all", 900, 40_000),
          favers: 3,
        };
      });
      return { results, total: results.length };
    },
    "GET /packages/{vendor}/{name}.json": ({ parts }) => {
      const name = `${parts.vendor}/${parts.name}`;
      return {
        package: {
          name,
          description: described(name),
          time: "2021-04-05T06:07:08+00:00",
          maintainers: [{ name: "sam" }],
          repository: repository(name),
          abandoned: "sample/next",
          downloads: { total: 52_000, monthly: 1300, daily: 40 },
          versions: Object.fromEntries(
            [
              composerVersion(name, "dev-main", "dev-main"),
              composerVersion(name, "2.1.0", "2.1.0.0"),
              composerVersion(name, "2.0.0", "2.0.0.0"),
            ].map((one) => [one.version, one]),
          ),
        },
      };
    },
  },
  faults,
};

const nugetRow = (id: string) => ({
  "@type": "Package",
  id,
  version: "2.1.0",
  description: described(id),
  projectUrl: site(id),
  tags: ["dates"],
  authors: ["Sam Sample"],
  owners: ["sam"],
  totalDownloads: about(id).int("all", 900, 40_000),
  deprecation: { reasons: ["Legacy"], alternatePackage: { id: "Sample.Next", range: "*" } },
});

export const nuget: Samples = {
  upstream: "nuget",
  answers: {
    "GET /query": (request) => {
      const { query = {} } = request;
      const id = /^packageid:(.+)$/.exec(String(query.q))?.[1];
      if (id !== undefined) return { totalHits: 1, data: [nugetRow(id)] };
      const page = { offset: asked(query.skip, 0), count: asked(query.take, 20) };
      const data = searched(request, page, (index) => nugetRow(`Sample.Kit${index}`));
      return { totalHits: data.length, data };
    },
  },
  faults,
};

export const mavenCentral: Samples = {
  upstream: "maven-central",
  answers: {
    "GET /solrsearch/select": (request) => {
      const { query = {} } = request;
      const page = { offset: asked(query.start, 0), count: asked(query.rows, 20) };
      const docs = searched(request, page, (index) => ({
        id: `org.sample:kit-${index}`,
        g: "org.sample",
        a: `kit-${index}`,
        latestVersion: "2.1.0",
        p: "jar",
        timestamp: Date.parse(day("maven", index)),
        versionCount: 12,
      }));
      return {
        responseHeader: { status: 0 },
        response: { numFound: docs.length, start: page.offset, docs },
      };
    },
  },
  faults,
};

const hexPackage = (name: string) => ({
  name,
  latest_version: "2.2.0-rc.1",
  latest_stable_version: "2.1.0",
  docs_html_url: `https://docs.example/${name}/`,
  inserted_at: "2021-04-05T06:07:08.000000Z",
  updated_at: day(name),
  meta: {
    description: described(name),
    licenses: ["Apache-2.0"],
    links: { GitHub: repository(name), Website: site(name) },
  },
  downloads: { all: 52_000, recent: 4100, week: 310, day: 45 },
  owners: [{ username: "sam" }],
  releases: [
    { version: "2.2.0-rc.1", inserted_at: day(name, 2) },
    { version: "2.1.0", inserted_at: day(name, 1) },
  ],
  retirements: { "2.1.0": { reason: "security", message: "Reads files of others" } },
});

export const hex: Samples = {
  upstream: "hex",
  answers: {
    "GET /api/packages": (request) =>
      searched(request, pageOf(request, 100), (index) => hexPackage(`kit_${index}`)),
    "GET /api/packages/{name}": ({ parts }) => hexPackage(parts.name as string),
    "GET /api/packages/{name}/releases/{version}": ({ parts }) => ({
      version: parts.version,
      requirements: {
        sample_base: { app: "sample_base", optional: false, requirement: "~> 1.2" },
        sample_more: { app: "sample_more", optional: true, requirement: "~> 3.0" },
      },
    }),
  },
  faults,
};

const pubspec = (name: string, version: string) => ({
  name,
  version,
  description: described(name),
  homepage: site(name),
  repository: repository(name),
  documentation: `${site(name)}/docs`,
  topics: ["dates"],
  dependencies: { flutter: { sdk: "flutter" }, sample_base: "^1.2.0" },
  dev_dependencies: { sample_checks: { hosted: "https://pub.example", version: "^3.0.0" } },
});

export const pub: Samples = {
  upstream: "pub",
  answers: {
    "GET /api/packages/{name}": ({ parts }) => {
      const name = parts.name as string;
      const version = (number: string, more: object = {}) => ({
        version: number,
        pubspec: pubspec(name, number),
        published: day(name, number),
        ...more,
      });
      return {
        name,
        latest: version("2.1.0"),
        versions: [version("2.0.0", { retracted: true }), version("2.1.0")],
        isDiscontinued: true,
        replacedBy: "sample_next",
      };
    },
    "GET /api/packages/{name}/versions/{version}": ({ parts }) => ({
      version: parts.version,
      pubspec: pubspec(parts.name as string, parts.version as string),
    }),
    "GET /api/packages/{name}/score": () => ({
      grantedPoints: 150,
      likeCount: 12,
      downloadCount30Days: 4300,
    }),
  },
  faults,
};
