/**
 * Aliases of `cursor` that callers know from other gateways and from the upstreams' own interfaces.
 * Deprecated: new callers use `cursor`. An operation has an alias where the largest other gateway
 * has it, or where the operation's upstream uses that name for its own token.
 */
const byArea: Readonly<Record<string, readonly string[]>> = {
  microblog: ["pagination_token", "next_token"],
};

const byOperation: Readonly<Record<string, readonly string[]>> = {
  "geo.mentions.search": ["search_after_token"],
  "seo.backlinks.list": ["search_after_token"],
  "seo.keywords.for_site": ["offset_token"],
  "seo.keywords.ideas": ["offset_token"],
  "seo.keywords.suggestions": ["offset_token"],
};

/** Other names under which a paginated operation takes `cursor`. */
export function cursorAliasesOf(area: string, id: string): readonly string[] {
  return byOperation[id] ?? byArea[area] ?? [];
}
