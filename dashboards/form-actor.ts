import type { Actor } from "../db/changes.ts";

/** The actor of a change by a page's form, for the log of changes; a text is the objection to the form. */
export function actorOf(who: string, sent: Readonly<Record<string, unknown>>): Actor | string {
  const why = typeof sent["why"] === "string" ? sent["why"].trim() : "";
  if (why === "" || why.length > 300) return "give a reason of 1 to 300 characters";
  return { who, via: "page", why };
}
