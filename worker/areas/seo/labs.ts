/** Path of one of DataForSEO's Labs interfaces for Google. */
export const labs = (name: string) => `/v3/dataforseo_labs/google/${name}/live`;

export interface Locality {
  location: string | number;
  language: string;
}

/** Location and language of the search, in the caller's form. */
export const localityOf = ({ location, language }: Locality) => ({
  location: String(location),
  language,
});
