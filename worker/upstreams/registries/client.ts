import type { Upstream } from "../../transport/upstream.ts";
import { judgeByStatus } from "../../transport/verdicts.ts";

/** Registries of packages. None needs a credential; `limits` are those that a registry publishes. */

const registry = (
  name: string,
  baseUrl: Upstream["baseUrl"],
  rules: Pick<Upstream, "limits" | "contact"> = {},
): Upstream => ({
  name,
  silenceMs: 10_000,
  baseUrl,
  credentials: [],
  judge: judgeByStatus,
  ...rules,
});

export const npm = registry("npm", {
  env: "NPM_BASE_URL",
  default: "https://registry.npmjs.org",
});
export const npmDownloads = registry("npm-downloads", {
  env: "NPM_DOWNLOADS_BASE_URL",
  default: "https://api.npmjs.org",
});
/** docs.pypi.org/api: no limit, a user agent that names the caller with a contact. */
export const pypi = registry(
  "pypi",
  { env: "PYPI_BASE_URL", default: "https://pypi.org" },
  { contact: {} },
);
export const pypiStats = registry("pypistats", {
  env: "PYPISTATS_BASE_URL",
  default: "https://pypistats.org",
});
/** crates.io/data-access: one request a second, and a user agent, best with a contact. */
export const crates = registry(
  "crates",
  { env: "CRATES_BASE_URL", default: "https://crates.io" },
  { limits: { perSecond: 1 }, contact: {} },
);
/** guides.rubygems.org/rubygems-org-rate-limits: ten requests a second. */
export const rubygems = registry(
  "rubygems",
  { env: "RUBYGEMS_BASE_URL", default: "https://rubygems.org" },
  { limits: { perSecond: 10 } },
);
/** packagist.org/apidoc: at most ten requests at once, and an e-mail address in the user agent. */
export const packagist = registry(
  "packagist",
  { env: "PACKAGIST_BASE_URL", default: "https://packagist.org" },
  { limits: { simultaneous: 10 }, contact: {} },
);
export const nuget = registry("nuget", {
  env: "NUGET_BASE_URL",
  default: "https://azuresearch-usnc.nuget.org",
});
export const mavenCentral = registry("maven-central", {
  env: "MAVEN_CENTRAL_BASE_URL",
  default: "https://search.maven.org",
});
/** The interface's specification: 100 requests a minute from an address. */
export const hex = registry(
  "hex",
  { env: "HEX_BASE_URL", default: "https://hex.pm" },
  { limits: { perSecond: 1.6 } },
);
export const pub = registry("pub", { env: "PUB_BASE_URL", default: "https://pub.dev" });
