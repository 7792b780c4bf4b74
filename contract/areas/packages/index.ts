import * as z from "zod";
import { advisory, osv } from "../../advisory.ts";
import { id, page, perPage, text } from "../../fields.ts";
import { area, operation } from "../../operation.ts";
import {
  endOfLifeProduct,
  packageDependencies,
  packageDownloads,
  packageHit,
  packageRecord,
  packageVersions,
} from "./records.ts";
import {
  checkName,
  checkRelease,
  packageName,
  packageVersion,
  registries,
  registryWith,
} from "./registries.ts";
import { depsDev, endOfLife, pypiStats, registrySources } from "./sources.ts";

const searchable = ["npm", "crates", "rubygems", "packagist", "nuget", "maven", "hex"] as const;
const counted = ["npm", "pypi", "crates", "rubygems", "packagist", "nuget", "hex", "pub"] as const;

const all = registryWith("packages", registries);
const ownSources = (names: readonly (keyof typeof registrySources)[]) =>
  names.map((name) => registrySources[name]);
/** Registries whose versions and dependencies deps.dev does not have. */
const beyondDepsDev = ownSources(["packagist", "hex", "pub"]);
const optionalVersion = packageVersion.optional();

export const packages = area({
  name: "packages",
  summary:
    "Packages of software over ten registries: search, versions, dependencies, downloads, advisories",
  pool: "social",
  operations: [
    operation({
      id: "packages.search",
      method: "GET",
      path: "/packages/search",
      summary: "Packages of a registry that match words",
      description: "PyPI, pub.dev and Go modules publish no search.",
      input: z.strictObject({
        registry: registryWith("search", searchable),
        query: text(1, 200, "Words to search for"),
        ...page({ most: 100, default: 20 }),
      }),
      data: z.array(packageHit),
      paginated: true,
      records: perPage,
      sources: ownSources(searchable),
      example: { registry: "npm", query: "date format", limit: 5 },
    }),
    operation({
      id: "packages.get",
      method: "GET",
      path: "/packages/package",
      summary: "One package with licence, addresses, authors and its latest version",
      input: z.strictObject({ registry: all, name: packageName }).superRefine(checkName),
      data: packageRecord,
      records: { kind: "one" },
      sources: [
        ...ownSources(["npm", "pypi", "crates", "rubygems", "packagist", "nuget", "hex", "pub"]),
        depsDev,
      ],
      example: { registry: "npm", name: "samplekit" },
    }),
    operation({
      id: "packages.versions",
      method: "GET",
      path: "/packages/versions",
      summary: "All versions of a package, newest first",
      description: "The whole list is one record.",
      input: z.strictObject({ registry: all, name: packageName }).superRefine(checkName),
      data: packageVersions,
      records: { kind: "one" },
      sources: [depsDev, ...beyondDepsDev],
      example: { registry: "npm", name: "samplekit" },
    }),
    operation({
      id: "packages.dependencies",
      method: "GET",
      path: "/packages/dependencies",
      summary: "Declared dependencies of a version of a package",
      description:
        "The whole list is one record. Without `version`, those of the version that is installed by default.",
      input: z
        .strictObject({ registry: all, name: packageName, version: optionalVersion })
        .superRefine(checkRelease),
      data: packageDependencies,
      records: { kind: "one" },
      sources: [depsDev, ...beyondDepsDev],
      example: { registry: "npm", name: "samplekit", version: "2.1.0" },
    }),
    operation({
      id: "packages.downloads",
      method: "GET",
      path: "/packages/downloads",
      summary: "Downloads of a package, in the periods that its registry counts",
      input: z
        .strictObject({ registry: registryWith("downloads", counted), name: packageName })
        .superRefine(checkName),
      data: packageDownloads,
      records: { kind: "one" },
      sources: [...ownSources(counted.filter((name) => name !== "pypi")), pypiStats],
      example: { registry: "npm", name: "samplekit" },
    }),
    operation({
      id: "packages.advisories",
      method: "GET",
      path: "/packages/advisories",
      summary: "Security advisories of a package, or of one version of it",
      input: z
        .strictObject({
          registry: all,
          name: packageName,
          version: optionalVersion,
          ...page({ most: 500, default: 50 }),
        })
        .superRefine(checkRelease),
      data: z.array(advisory),
      paginated: true,
      records: perPage,
      sources: [osv],
      example: { registry: "npm", name: "samplekit", version: "2.1.0", limit: 5 },
    }),
    operation({
      id: "packages.end_of_life",
      method: "GET",
      path: "/packages/end-of-life/{product}",
      summary: "Release cycles of a product, with the days on which their support ends",
      description:
        "Languages, systems, databases, frameworks and devices; the whole list is one record.",
      input: z.strictObject({
        product: id(
          /^[a-z0-9][a-z0-9._-]{0,99}$/,
          "Product",
          "a name of endoflife.date, such as `python`, of 1 to 100 small letters, digits, `.`, `_` or `-`",
          (given) => given.toLowerCase(),
        ),
      }),
      data: endOfLifeProduct,
      records: { kind: "one" },
      sources: [endOfLife],
      example: { product: "sample-language" },
    }),
  ],
});
