/** An open source of data, and what it requires of those who use its data. */
export interface Source {
  name: string;
  /** Its home page. */
  url: string;
  /** Licence of the data in its usual short form, or "terms of use" where the source names no licence. */
  licence: string;
  /** Page of the licence or the terms. */
  terms: string;
  /** Text that must stand beside the data. */
  attribution?: string;
}

/** Origin, licence and attribution of an operation's data, as Markdown; undefined without open sources. */
export function sourcesInWords(sources: readonly Source[]): string | undefined {
  if (sources.length === 0) return undefined;
  const each = sources.map(({ name, url, licence, terms, attribution }) => {
    const credit = attribution === undefined ? "" : `, with the attribution "${attribution}"`;
    return `[${name}](${url}) ([${licence}](${terms})${credit})`;
  });
  return `Data of ${each.join(", ")}.`;
}
