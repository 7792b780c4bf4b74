import { id } from "../../fields.ts";

/** A DOI in its normal form: without scheme and host, in lower case, as DOIs ignore case. */
export function normalDoi(text: string): string {
  const address = /^https?:\/\/(?:(?:dx|www)\.)?doi\.org\/([^?#]*)/i;
  const [, path] = address.exec(text.trim()) ?? [];
  const doi = path === undefined ? text.trim().replace(/^doi:\s*/i, "") : unescaped(path);
  return doi.toLowerCase();
}

/** A DOI as its address spells it: `<`, `?`, `#` and other characters of old DOIs are escaped there. */
function unescaped(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** arXiv registers a DOI for every article; its own ids with and without a version have the same. */
const arxivPrefix = "10.48550/arxiv.";

/** The arXiv id of an article's DOI at arXiv; undefined for another DOI. */
export function arxivIdOf(doi: string): string | undefined {
  return doi.startsWith(arxivPrefix) ? doi.slice(arxivPrefix.length) : undefined;
}

/** The id of a work in its normal form: a DOI, `pmid:123` or `pmcid:PMC123`. */
export function normalWorkId(given: string): string {
  const text = given.trim();
  const arxiv =
    /^(?:arxiv:|https?:\/\/(?:www\.)?arxiv\.org\/(?:abs|pdf)\/)([a-z.-]+\/\d{7}|\d{4}\.\d{4,5})(v\d+)?(\.pdf)?$/i.exec(
      text,
    )?.[1];
  // An old id may name a class of its archive, as in math.GT/0309136; its DOI does not.
  if (arxiv !== undefined)
    return `${arxivPrefix}${arxiv.toLowerCase().replace(/^([a-z-]+)\.[a-z.-]+\//, "$1/")}`;
  const pmcid = /^(?:pmcid:\s*)?(pmc\d+)$/i.exec(text)?.[1];
  if (pmcid !== undefined) return `pmcid:${pmcid.toUpperCase()}`;
  const pmid = /^pmid:\s*(\d+)$/i.exec(text)?.[1];
  return pmid === undefined ? normalDoi(text) : `pmid:${pmid}`;
}

const doiForm = "a DOI (10.1234/abcd, at most 500 characters), also as its https://doi.org address";

export const doi = id(/^10\.[0-9]{4,9}(\.[0-9]{1,9})*\/\S{1,500}$/, "Work", doiForm, normalDoi, {
  slashes: true,
});

export const workId = id(
  /^(10\.[0-9]{4,9}(\.[0-9]{1,9})*\/\S{1,500}|pmid:[0-9]{1,9}|pmcid:PMC[0-9]{1,9})$/,
  "Work",
  `${doiForm}, arXiv:2101.00001, pmid:12345678 or PMC1234567 (1 to 9 digits)`,
  normalWorkId,
  { slashes: true },
);

export const orcid = id(
  /^[0-9]{4}-[0-9]{4}-[0-9]{4}-[0-9]{3}[0-9X]$/,
  "ORCID iD",
  "16 characters in four groups of 4, 15 digits and a digit or X: 0000-0002-1825-0097",
  (text) =>
    text
      .trim()
      .replace(/^orcid:/i, "")
      .toUpperCase(),
);

export const rorId = id(
  /^0[a-hj-km-np-tv-z0-9]{6}[0-9]{2}$/,
  "ROR id",
  "9 letters and digits that begin with 0: 05dxps055",
  (text) => text.trim().replace(/^ror:/i, "").toLowerCase(),
);

export const issn = id(
  /^[0-9]{4}-[0-9]{3}[0-9X]$/,
  "ISSN of the print or the electronic edition",
  "8 digits, of which the last may be X, with a hyphen in the middle: 1234-567X",
  (text) =>
    text
      .trim()
      .replace(/^(\d{4})(\d{3}[\dx])$/i, "$1-$2")
      .toUpperCase(),
);

export const funderId = id(
  /^[0-9]{6,12}$/,
  "Funder in the Open Funder Registry",
  "6 to 12 digits: 501100000780",
);
