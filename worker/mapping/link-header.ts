/** A parameter of the address that a `Link` header (RFC 8288) names as the next page. */
export function nextParameter(header: string | undefined, name: string): string | undefined {
  for (const [, target = "", parameters = ""] of (header ?? "").matchAll(/<([^<>]*)>([^<]*)/g)) {
    if (!/;\s*rel="?next"?\s*(;|,|$)/i.test(parameters)) continue;
    return URL.parse(target, "https://relative.invalid")?.searchParams.get(name) ?? undefined;
  }
  return undefined;
}
