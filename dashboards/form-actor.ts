import type { Actor } from "../db/changes.ts";

/** Who changes something by a form of a page, and why, for the log of changes; a text is the objection to the form. */
export function actorOf(who: string, sent: Readonly<Record<string, unknown>>): Actor | string {
  const why = typeof sent["why"] === "string" ? sent["why"].trim() : "";
  if (why === "" || why.length > 300) return "give a reason of 1 to 300 characters";
  return { who, via: "page", why };
}
