import type { Source } from "../../source.ts";

export const frankfurter: Source = {
  name: "Frankfurter",
  url: "https://frankfurter.dev",
  licence: "terms of use of the central banks",
  terms: "https://api.frankfurter.dev/v2/providers",
};

export const worldBank: Source = {
  name: "World Bank",
  url: "https://data.worldbank.org",
  licence: "CC BY 4.0",
  terms: "https://datacatalog.worldbank.org/public-licenses",
  attribution: "The World Bank: World Development Indicators",
};

export const gleif: Source = {
  name: "GLEIF",
  url: "https://www.gleif.org",
  licence: "CC0",
  terms: "https://www.gleif.org/en/about/open-data",
};

export const edgar: Source = {
  name: "SEC EDGAR",
  url: "https://www.sec.gov/search-filings",
  licence: "terms of use",
  terms: "https://www.sec.gov/search-filings/edgar-search-assistance/accessing-edgar-data",
};

export const coinGecko: Source = {
  name: "CoinGecko",
  url: "https://www.coingecko.com",
  licence: "terms of use, a commercial licence with paid plans only",
  terms: "https://www.coingecko.com/en/api_terms",
  attribution:
    "Data provided by CoinGecko, with a link to https://www.coingecko.com, beside the data",
};
