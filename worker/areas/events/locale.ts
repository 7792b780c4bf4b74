const anyLocale = "*";
const names = new Intl.DisplayNames("en", { type: "language", fallback: "none" });

/** Codes of the languages that have a two-letter one, by English name. */
const codes = new Map<string, string>();
const alphabet = "abcdefghijklmnopqrstuvwxyz";
for (const first of alphabet) {
  for (const second of alphabet) {
    const code = first + second;
    const name = names.of(code)?.toLowerCase();
    // The first code of a name is the one in use; old ones are read as the new.
    if (name && !codes.has(name)) codes.set(name, new Intl.Locale(code).language);
  }
}

/** A caller's `language` as a locale of Ticketmaster; any where the name is not known. */
export function eventLocale(language: string): string {
  const wanted = language.toLowerCase();
  if (/^[a-z]{2,3}(-[a-z0-9]{2,4})?$/.test(wanted)) return wanted;
  return codes.get(wanted) ?? anyLocale;
}
