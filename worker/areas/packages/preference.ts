import type { Preference, Source } from "../../mapping/preference.ts";
import { depsDev } from "../../upstreams/deps-dev/client.ts";
import { crates, npm, nuget, pypi, rubygems } from "../../upstreams/registries/client.ts";

type Name = "registry" | "deps-dev";

/** The input names the registry. */
const registry: Source<Name> = { name: "registry", forms: [npm, pypi, crates, rubygems, nuget] };
/** It learns of new packages later, and has no descriptions and authors. */
const copy: Source<Name> = { name: "deps-dev", forms: [depsDev], holdsLess: true };

export const preference = {
  "packages.get": [registry, copy],
} as const satisfies Preference<Name>;

/** Registries whose packages deps.dev holds as well. */
export const copied = { npm, pypi, crates, rubygems, nuget } as const;
