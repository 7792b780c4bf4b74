import type { Source } from "../../source.ts";
import type { Registry } from "./registries.ts";

const ofTerms = (name: string, url: string, terms: string): Source => ({
  name,
  url,
  licence: "terms of use",
  terms,
});

/** The registries themselves. */
export const registrySources: Readonly<Record<Registry, Source>> = {
  npm: ofTerms("npm", "https://www.npmjs.com", "https://docs.npmjs.com/policies/open-source-terms"),
  pypi: ofTerms(
    "PyPI",
    "https://pypi.org",
    "https://policies.python.org/pypi.org/Terms-of-Service/",
  ),
  crates: ofTerms("crates.io", "https://crates.io", "https://crates.io/data-access"),
  rubygems: ofTerms(
    "RubyGems",
    "https://rubygems.org",
    "https://guides.rubygems.org/rubygems-org-rate-limits",
  ),
  packagist: ofTerms("Packagist", "https://packagist.org", "https://packagist.org/apidoc"),
  nuget: ofTerms("NuGet", "https://www.nuget.org", "https://www.nuget.org/policies/Terms"),
  maven: ofTerms(
    "Maven Central",
    "https://central.sonatype.com",
    "https://central.sonatype.org/search/rest-api-guide/",
  ),
  hex: ofTerms("Hex", "https://hex.pm", "https://hex.pm/policies/termsofservice"),
  pub: ofTerms("pub.dev", "https://pub.dev", "https://pub.dev/policy"),
  go: ofTerms("Go modules", "https://pkg.go.dev", "https://proxy.golang.org"),
};

export const pypiStats = ofTerms(
  "PyPI Stats",
  "https://pypistats.org",
  "https://pypistats.org/about",
);

export const depsDev: Source = {
  name: "deps.dev",
  url: "https://deps.dev",
  licence: "CC BY 4.0",
  terms: "https://docs.deps.dev/faq/",
  attribution: "Data by deps.dev",
};

export const endOfLife: Source = {
  name: "endoflife.date",
  url: "https://endoflife.date",
  licence: "MIT",
  terms: "https://github.com/endoflife-date/endoflife.date/blob/master/LICENSE",
};
