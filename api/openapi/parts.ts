import type { Json } from "./json.ts";

interface Document extends Json {
  paths: { [path: string]: { [method: string]: { tags: string[] } } };
  components: { schemas: Json };
}

/** The part that belongs to no single area. */
const shared = "own";
const schemaRef = /"#\/components\/schemas\/([^"]+)"/g;

/**
 * Splits a document into a part for each area: its paths and the schemas that nothing else references. `own`
 * holds the rest. A change of one area is then a change of one part.
 */
export function partsOf(document: Json): Map<string, Json> {
  const { paths, components, ...rest } = document as Document;
  const { schemas, ...others } = components;
  const areas = new Map<string, { paths: Json; schemas: Json }>();
  for (const [path, item] of Object.entries(paths)) {
    const [tag] = new Set(Object.values(item).flatMap(({ tags }) => tags));
    const name = tag === undefined || tag === "gateway" ? shared : tag;
    const area = areas.get(name) ?? { paths: {}, schemas: {} };
    area.paths[path] = item;
    areas.set(name, area);
  }
  const outside = { rest, others, own: areas.get(shared)?.paths };
  const users = new Map([...areas].map(([name, area]) => [name, reached(area.paths, schemas)]));
  users.set(shared, reached(outside, schemas));
  for (const [name, schema] of Object.entries(schemas)) {
    const using = [...users].filter(([, found]) => found.has(name)).map(([area]) => area);
    const area = areas.get(using.length === 1 ? (using[0] as string) : shared);
    if (area) area.schemas[name] = schema;
  }
  return new Map(
    [...areas].map(([name, area]) => {
      if (name !== shared)
        return [name, { paths: area.paths, components: { schemas: area.schemas } }];
      return [
        name,
        { ...rest, paths: area.paths, components: { ...others, schemas: area.schemas } },
      ];
    }),
  );
}

/** Names of the schemas that a part of the document references, directly or through others. */
function reached(part: unknown, schemas: Json, found = new Set<string>()): Set<string> {
  for (const [, name = ""] of JSON.stringify(part).matchAll(schemaRef)) {
    if (found.has(name)) continue;
    found.add(name);
    reached(schemas[name], schemas, found);
  }
  return found;
}
