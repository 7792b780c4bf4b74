import type { Source } from "../../source.ts";

export const usaSpending: Source = {
  name: "USAspending",
  url: "https://www.usaspending.gov",
  licence: "public domain",
  terms: "https://api.usaspending.gov",
};

export const congressGov: Source = {
  name: "Congress.gov",
  url: "https://www.congress.gov",
  licence: "public domain",
  terms: "https://www.loc.gov/legal/",
};

export const federalRegister: Source = {
  name: "Federal Register",
  url: "https://www.federalregister.gov",
  licence: "public domain",
  terms: "https://www.federalregister.gov/developers/documentation/api/v1",
};

export const openFda: Source = {
  name: "openFDA",
  url: "https://open.fda.gov",
  licence: "CC0",
  terms: "https://open.fda.gov/terms/",
};
