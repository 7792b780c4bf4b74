import type { Source } from "../../source.ts";

export const crossref: Source = {
  name: "Crossref",
  url: "https://www.crossref.org",
  licence: "CC0, without abstracts",
  terms:
    "https://www.crossref.org/documentation/retrieve-metadata/rest-api/rest-api-metadata-license-information/",
};

export const datacite: Source = {
  name: "DataCite",
  url: "https://datacite.org",
  licence: "CC0",
  terms: "https://support.datacite.org/docs/datacite-data-file-use-policy",
};

export const europePmc: Source = {
  name: "Europe PMC",
  url: "https://europepmc.org",
  licence: "terms of use",
  terms: "https://europepmc.org/Copyright",
};

export const semanticScholar: Source = {
  name: "Semantic Scholar",
  url: "https://www.semanticscholar.org",
  licence: "terms of use",
  terms: "https://www.semanticscholar.org/product/api/license",
  attribution: "Semantic Scholar",
};

export const orcid: Source = {
  name: "ORCID",
  url: "https://orcid.org",
  licence: "CC0",
  terms: "https://info.orcid.org/public-data-file-use-policy/",
};

export const ror: Source = {
  name: "Research Organization Registry",
  url: "https://ror.org",
  licence: "CC0",
  terms: "https://ror.readme.io/docs/data-dump",
};

export const unpaywall: Source = {
  name: "Unpaywall",
  url: "https://unpaywall.org",
  licence: "CC0",
  terms: "https://unpaywall.org/legal/terms-of-service",
};
