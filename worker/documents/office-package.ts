import type { Archive } from "./archive.ts";
import { resolvePath } from "./archive.ts";
import type { DocumentInfo } from "./document.ts";
import { attribute, childrenNamed, childNamed, elementIn, textOf } from "./xml.ts";

/** Relations of a part by their id. References to other places are links at most; nothing is fetched. */
export interface Relation {
  type: string;
  /** A path in the archive, or the address of an external reference. */
  target: string;
  isExternal: boolean;
}

/** The relations of a part of an Office Open XML package; of the package itself for an empty path. */
export function relationsOf(archive: Archive, path: string): Map<string, Relation> {
  const [, folder = "", name = ""] = /^(.*\/)?([^/]*)$/.exec(path) ?? [];
  const root = elementIn(archive.text(`${folder}_rels/${name}.rels`), "Relationships");
  return new Map(
    childrenNamed(root, "Relationship").map((one) => {
      const isExternal = attribute(one, "TargetMode") === "External";
      const target = attribute(one, "Target") ?? "";
      const type = /[^/]*$/.exec(attribute(one, "Type") ?? "")?.[0] ?? "";
      const resolved = isExternal ? target : resolvePath(path, target);
      return [attribute(one, "Id") ?? "", { type, isExternal, target: resolved }];
    }),
  );
}

export const relatedPart = (relations: ReadonlyMap<string, Relation>, type: string) =>
  [...relations.values()].find((one) => one.type === type && !one.isExternal)?.target;

const instant = (value: string) => {
  const stated = value.trim();
  const isWhole = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?$/.test(
    stated,
  );
  return isWhole && !Number.isNaN(Date.parse(stated)) ? stated : undefined;
};

/** Statements of `docProps/core.xml`, of an OpenDocument `meta.xml`, or of the package document of a book. */
export function infoIn(text: string | undefined, root: string): DocumentInfo {
  const holder = elementIn(text, root);
  const first = (...names: string[]) =>
    names.map((name) => textOf(childNamed(holder, name)).trim()).find((value) => value !== "");
  const creators = childrenNamed(holder, "creator").map((one) => textOf(one).trim());
  const authors = [first("initial-creator"), ...creators].filter(
    (one) => one !== undefined && one !== "",
  );
  return {
    title: first("title"),
    authors: authors.length > 0 ? [...new Set(authors as string[])] : undefined,
    language: first("language"),
    createdAt: instant(first("created", "creation-date") ?? ""),
    modifiedAt: instant(first("modified", "date") ?? ""),
  };
}
