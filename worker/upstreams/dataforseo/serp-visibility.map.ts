import {
  type SerpCitation,
  type SerpCompetitor,
  type SerpReference,
  type SerpTargetMatch,
  type SerpTargetVisibility,
  hostName,
} from "../../../contract/serp.ts";
import { firstOfEach } from "../../mapping/first-of-each.map.ts";
import { type Wire, array, defined, each, object, text } from "#wire";
import { isPaid } from "./serp-elements.map.ts";

/** A URL or domain in an element or reference. */
interface Link {
  url?: string | undefined;
  domain?: string | undefined;
}

export interface Target {
  value: string;
  domain: string | undefined;
  /** The compared text: the host, or the pattern. */
  pattern: string;
  matches(link: Link): boolean;
}

export type TargetMatch = "domain" | "with_subdomains" | "wildcard";

/** A target by its host; a pattern, in which `*` is any text, by the address without scheme and "www.". */
export function targetOf(value: string, match: TargetMatch = "with_subdomains"): Target {
  if (match === "wildcard") {
    const pattern = bare(value);
    const domain = hostName(pattern.replaceAll("*", ""));
    const matches = ({ url }: Link) => url !== undefined && fits(bare(url), pattern);
    return { value, domain, pattern, matches };
  }
  const domain = hostName(value);
  return {
    value,
    domain,
    pattern: domain ?? value,
    matches(link) {
      const host = hostOf(link);
      if (host === undefined || domain === undefined) return false;
      return host === domain || (match === "with_subdomains" && host.endsWith(`.${domain}`));
    },
  };
}

function bare(address: string): string {
  return address
    .toLowerCase()
    .replace(/^https?:\/\//, "")
    .replace(/^www\./, "")
    .replace(/\/$/, "");
}

function fits(address: string, pattern: string): boolean {
  const parts = pattern.split("*");
  const [first = "", last = ""] = [parts[0], parts.at(-1)];
  if (parts.length === 1) return address === pattern;
  if (!address.startsWith(first)) return false;
  let from = first.length;
  for (const part of parts.slice(1, -1)) {
    const found = address.indexOf(part, from);
    if (found < 0) return false;
    from = found + part.length;
  }
  return address.length - last.length >= from && address.endsWith(last);
}

/** The compared host: of the URL, else the stated domain. */
function hostOf({ url, domain }: Link): string | undefined {
  return (url === undefined ? undefined : hostName(url)) ?? (domain && hostName(domain));
}

/** An element, or a part of one, with a link. */
interface Lead extends Link {
  type: string;
  title?: string | undefined;
}

/** Links and citations of a first-level element. */
export interface Evidence {
  rank: number | undefined;
  type: string;
  title: string | undefined;
  isPaid: boolean;
  own: Link;
  /** The addresses of the element and its parts. */
  leads: Lead[];
  links: Link[];
  /** Each page once, in order. */
  references: SerpReference[];
}

const deepest = 8;

/** Parts of an element at every depth, without adverts among them. */
function partsOf(element: Wire, depth = 0): Wire[] {
  if (depth >= deepest) return [];
  const inner = [...(array(element.items) ?? []), ...(array(element.components) ?? [])];
  return inner.flatMap((entry) => {
    const part = object(entry);
    if (!part || part.type === "ai_overview_paid" || isPaid(part)) return [];
    return [part, ...partsOf(part, depth + 1)];
  });
}

/** References of an element, or without any those of its parts; each page once. */
export function referencesOf(element: Wire): SerpReference[] {
  const own = each(element.references, reference);
  const all =
    own.length > 0 ? own : partsOf(element).flatMap((part) => each(part.references, reference));
  return firstOfEach(all, ({ url, domain, title }) => page(url) ?? `${domain} ${title}`);
}

/** An address without the fragment that points to a passage. */
const page = (url: string | undefined) => url?.replace(/#:~:text=.*$/s, "");

export function reference(entry: unknown): SerpReference | undefined {
  const holder = object(entry);
  if (!holder) return undefined;
  const found = defined({
    title: text(holder.title),
    url: text(holder.url),
    domain: text(holder.domain),
    source: text(holder.source),
    snippet: text(holder.text) ?? text(holder.snippet),
    position: text(holder.position),
  });
  return found.url === undefined && found.domain === undefined ? undefined : found;
}

/** `rank` is the element's rank in the answer. */
export function evidenceOf(element: Wire, rank: number | undefined): Evidence {
  const parts = partsOf(element);
  const lead = (part: Wire): Lead[] => {
    const url = text(part.url);
    const [type = "", title, domain] = [text(part.type), text(part.title), text(part.domain)];
    return url === undefined ? [] : [{ type, title, url, domain }];
  };
  const linksOf = (part: Wire) =>
    each(part.links, (entry): Link | undefined => {
      const link = object(entry);
      return link && { url: text(link.url), domain: text(link.domain) };
    });
  return {
    rank,
    type: text(element.type) ?? "",
    title: text(element.title),
    isPaid: isPaid(element),
    own: { url: text(element.url), domain: text(element.domain) },
    leads: [element, ...parts].flatMap(lead),
    links: [element, ...parts].flatMap(linksOf),
    references: referencesOf(element),
  };
}

/** True for an element of the target: its address, a reference or a link matches. */
export function isTarget({ own, links, references }: Evidence, target: Target): boolean {
  return [own, ...links, ...references].some((link) => target.matches(link));
}

const mostCompetitors = 50;

/** Visibility on a page: of the target, if there is one, and of all cited domains. */
export function visibility(
  evidence: readonly Evidence[],
  target: Target | undefined,
): { target: SerpTargetVisibility | undefined; competitors: SerpCompetitor[] } {
  const shown = evidence.filter((element) => !element.isPaid);
  return {
    target: target && visibilityOf(shown, target),
    competitors: competitorsOf(shown, target),
  };
}

function visibilityOf(shown: readonly Evidence[], target: Target): SerpTargetVisibility {
  const matches = shown.flatMap(({ rank, leads }) =>
    leads
      .filter((lead) => target.matches(lead))
      .map(({ type, title, domain, url }): SerpTargetMatch =>
        defined({ rank, type, title, domain, url }),
      ),
  );
  const citations = shown.flatMap(({ rank, type, title, references }) =>
    references
      .filter((found) => target.matches(found))
      .map((found): SerpCitation =>
        defined({
          ...found,
          is_target: true,
          result_rank: rank,
          result_type: type,
          result_title: title,
        }),
      ),
  );
  const ranks = [...matches.map(({ rank }) => rank), ...citations.map((c) => c.result_rank)];
  return defined({
    value: target.value,
    domain: target.domain,
    present: matches.length > 0 || citations.length > 0,
    best_rank: best(ranks),
    matches,
    citations,
  });
}

function best(ranks: readonly (number | undefined)[]): number | undefined {
  const known = ranks.filter((rank) => rank !== undefined);
  return known.length > 0 ? known.reduce((a, b) => Math.min(a, b)) : undefined;
}

function competitorsOf(shown: readonly Evidence[], target: Target | undefined): SerpCompetitor[] {
  const ranks = new Map<string, (number | undefined)[]>();
  for (const { rank, references } of shown) {
    for (const found of references) {
      const host = hostOf(found);
      if (host === undefined || target?.matches(found)) continue;
      ranks.set(host, [...(ranks.get(host) ?? []), rank]);
    }
  }
  const last = Number.MAX_SAFE_INTEGER;
  return [...ranks]
    .map(([domain, found]): SerpCompetitor =>
      defined({ domain, best_rank: best(found), citation_count: found.length }),
    )
    .sort(
      (a, b) =>
        b.citation_count - a.citation_count ||
        (a.best_rank ?? last) - (b.best_rank ?? last) ||
        (a.domain < b.domain ? -1 : 1),
    )
    .slice(0, mostCompetitors);
}
