import { encyclopedia } from "./encyclopedia.ts";
import { gateway } from "./gateway.ts";
import { scholarly } from "./scholarly.ts";
import { search } from "./search.ts";
import { shared } from "./shared.ts";
import { social } from "./social.ts";

/** Descriptions of members by name, for members that their own declaration does not describe. */
export const glossary: ReadonlyMap<string, string> = new Map(
  [shared, encyclopedia, gateway, scholarly, search, social].flatMap((words) =>
    Object.entries(words),
  ),
);
