/** Package URLs (github.com/package-url/purl-spec), by the type of the package. */

const escaped = (text: string) => encodeURIComponent(text).replaceAll("%3A", ":");

interface Spelling {
  type: string;
  /** Parts of namespace and name. */
  parts(name: string): string[];
}

const lower = (name: string) => name.toLowerCase();

const spellings: Readonly<Record<string, Spelling>> = {
  npm: { type: "npm", parts: (name) => lower(name).split("/") },
  pypi: { type: "pypi", parts: (name) => [lower(name).replaceAll("_", "-")] },
  crates: { type: "cargo", parts: (name) => [name] },
  rubygems: { type: "gem", parts: (name) => [name] },
  packagist: { type: "composer", parts: (name) => lower(name).split("/") },
  nuget: { type: "nuget", parts: (name) => [name] },
  maven: { type: "maven", parts: (name) => name.split(":") },
  hex: { type: "hex", parts: (name) => lower(name).split("/") },
  pub: { type: "pub", parts: (name) => [lower(name)] },
  go: { type: "golang", parts: (name) => lower(name).split("/") },
};

/** The package URL of a registry's package, or of one version of it. */
export function purlOf(registry: string, name: string, version?: string): string {
  const spelling = spellings[registry];
  if (!spelling) throw new Error(`no purl type of ${registry}`);
  const path = spelling.parts(name).map(escaped).join("/");
  return `pkg:${spelling.type}/${path}${version === undefined ? "" : `@${escaped(version)}`}`;
}
