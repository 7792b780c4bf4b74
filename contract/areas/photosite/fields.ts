import { id, page, text } from "../../fields.ts";

export const shortcode = id(
  /^[A-Za-z0-9_-]{5,40}$/,
  "Code in a post's address",
  "5 to 40 letters, digits, `_` or `-`",
);
export const username = id(
  /^[a-z0-9_.]{1,30}$/,
  "Handle",
  "1 to 30 letters of a to z, digits, `_` or `.`, with or without `@`",
  (given) => given.replace(/^@/, "").toLowerCase(),
);
export const mediaId = id(
  /^[0-9]{10,25}(?:_[0-9]{1,20})?$/,
  "Post",
  "a number of 10 to 25 digits, alone or with its owner's behind `_`",
);
export const userId = id(/^[0-9]{1,20}$/, "User", "a number of 1 to 20 digits");
export const commentId = id(/^[0-9]{10,25}$/, "Comment", "a number of 10 to 25 digits");
export const locationId = id(/^[0-9]{1,20}$/, "Location", "a number of 1 to 20 digits");
export const sectionId = id(/^[0-9]{1,20}$/, "Section", "a number of 1 to 20 digits");
export const cityId = id(
  /^c?[0-9]{1,12}$/,
  "City",
  "a number of 1 to 12 digits, with or without a leading `c`",
);
export const countryCode = id(/^[A-Z]{2}$/, "Country", "an ISO 3166-1 code of 2 letters", (given) =>
  given.toUpperCase(),
);
export const tag = id(
  /^[\p{L}\p{N}\p{M}_]{1,100}$/u,
  "Hashtag",
  "1 to 100 letters, digits or `_`, with or without `#`",
  (given) => given.replace(/^#/, ""),
);
export const keyword = text(1, 500, "Keyword");
export const paging = page({ most: 50, default: 20 });

/** Most records of a list that the upstream returns without pages. */
const mostOfWhole = 200;

export const whole = {
  kind: "list",
  rows: (data: readonly unknown[]) => data,
  most: () => mostOfWhole,
} as const;
