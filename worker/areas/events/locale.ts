const anyLocale = "*";
const names = new Intl.DisplayNames("en", { type: "language", fallback: "none" });

/** Two-letter language codes by English name. */
const codes = new Map<string, string>();
const alphabet = "abcdefghijklmnopqrstuvwxyz";
for (const first of alphabet) {
  for (const second of alphabet) {
    const code = first + second;
    const name = names.of(code)?.toLowerCase();
    // The first code of a name is the current one; later ones are obsolete aliases.
    if (name && !codes.has(name)) codes.set(name, new Intl.Locale(code).language);
  }
}

/** A caller's `language` as a locale of Ticketmaster; any locale for an unknown name. */
export function eventLocale(language: string): string {
  const lower = language.toLowerCase();
  if (/^[a-z]{2,3}(-[a-z0-9]{2,4})?$/.test(lower)) return lower;
  return codes.get(lower) ?? anyLocale;
}
