import { gateway } from "./gateway.ts";
import { search } from "./search.ts";
import { shared } from "./shared.ts";
import { social } from "./social.ts";

/** Meanings of members by their names, for those whose own declaration says none. */
export const glossary: ReadonlyMap<string, string> = new Map(
  [shared, gateway, search, social].flatMap((words) => Object.entries(words)),
);
