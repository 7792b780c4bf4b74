import { id, page, text } from "../../fields.ts";

export const shortcode = id(/^[A-Za-z0-9_-]{5,40}$/, "Code in a post's address");
export const username = id(/^[a-z0-9_.]{1,30}$/, "Handle with or without `@`", (given) =>
  given.replace(/^@/, "").toLowerCase(),
);
export const mediaId = id(
  /^[0-9]{10,25}(?:_[0-9]{1,20})?$/,
  "Number of a post, alone or with its owner's behind `_`",
);
export const userId = id(/^[0-9]{1,20}$/, "Number of the user");
export const commentId = id(/^[0-9]{10,25}$/, "Number of the comment");
export const locationId = id(/^[0-9]{1,20}$/, "Number of the location");
export const sectionId = id(/^[0-9]{1,20}$/, "Number of the section");
export const cityId = id(/^c?[0-9]{1,12}$/, "Number of the city, with or without a leading `c`");
export const countryCode = id(/^[A-Z]{2}$/, "Two-letter country code", (given) =>
  given.toUpperCase(),
);
export const tag = id(/^[\p{L}\p{N}\p{M}_]{1,100}$/u, "Hashtag with or without `#`", (given) =>
  given.replace(/^#/, ""),
);
export const keyword = text(1, 200, "Keyword");
export const paging = page({ most: 50, usual: 20 });

export const perPage = {
  kind: "list",
  rows: (data: readonly unknown[]) => data,
  most: (input: { limit: number }) => input.limit,
} as const;

/** Most records of a list that the upstream gives whole. */
const mostOfWhole = 200;

export const whole = {
  kind: "list",
  rows: (data: readonly unknown[]) => data,
  most: () => mostOfWhole,
} as const;
