import { asciiDomain } from "../../../contract/target.ts";

/** A target in the upstream's form: host names in lower case and ASCII, pages unchanged. */
export function upstreamTarget(target: string): string {
  const domain = asciiDomain(target);
  if (domain !== undefined) return domain;
  return URL.canParse(target) && /[^\x21-\x7e]/.test(target) ? new URL(target).href : target;
}

/** A target that may end in `*`, in the upstream's form. */
export function upstreamPattern(pattern: string): string {
  const rest = (/^https?:/i.test(pattern) ? /\*$/ : /[/.]?\*$/).exec(pattern)?.[0] ?? "";
  return upstreamTarget(pattern.slice(0, pattern.length - rest.length)) + rest;
}

/** Normal form of a target, as it is sent: host names are case-insensitive, paths are not. */
export function sameTarget(target: string): string {
  const sent = upstreamTarget(target);
  const host = /^https?:\/\/[^/?#]*/i.exec(sent)?.[0] ?? "";
  return host.toLowerCase() + sent.slice(host.length);
}

/** Host of a domain or page, without "www.". */
export function hostOf(target: string): string {
  const host = /^https?:\/\/([^/?#:]*)/i.exec(target)?.[1] ?? target;
  return host.toLowerCase().replace(/^www\./, "");
}

/** Splits into pieces of at most `most` targets on at most `hosts` hosts; targets of one host stay together. */
export function byHost(targets: readonly string[], most: number, hosts: number): string[][] {
  const pieces: { targets: string[]; hosts: number }[] = [];
  for (const group of Map.groupBy(targets, hostOf).values()) {
    let piece = pieces.at(-1);
    if (!piece || piece.hosts === hosts || piece.targets.length + group.length > most) {
      piece = { targets: [], hosts: 0 };
      pieces.push(piece);
    }
    piece.targets.push(...group);
    piece.hosts += 1;
  }
  return pieces.map((piece) => piece.targets);
}

/** Targets keyed by numbers from 1, as requests for intersections need them. */
export function numberedTargets(targets: readonly string[]): { [number: string]: string } {
  return Object.fromEntries(
    targets.map((target, index) => [String(index + 1), upstreamTarget(target)]),
  );
}
