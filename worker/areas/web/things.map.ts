import { object, type Wire } from "#wire";

/** How a page states a thing. */
export type Source = "json_ld" | "microdata" | "rdfa" | "microformats";

/** A thing in the vocabulary of schema.org, whatever form states it. */
export interface Thing {
  source: Source;
  /** Names of schema.org, without its address. */
  types: string[];
  id?: string | undefined;
  properties: ReadonlyMap<string, readonly Value[]>;
}

export type Value = string | number | boolean | Thing;

/** Many pages leave the scheme out; the relative address that this makes has no other meaning. */
const schemaOrg = /^\s*(?:(?:https?:)?\/\/)?(?:www\.)?schema\.org\//i;

/** The name of an absolute term of schema.org; undefined for another vocabulary's. */
function schemaName(term: string): string | undefined {
  const name = term.replace(schemaOrg, "");
  return name === term || !/^[A-Za-z][A-Za-z0-9]*$/.test(name) ? undefined : name;
}

/** An item of microdata or RDFa, as the page's reader returns it. */
export interface Item {
  types: string[];
  id?: string;
  properties: [name: string, value: string | Item][];
}

/** The thing that an item states; its properties are empty unless its type is one of schema.org. */
export function thingOfItem(item: Item, source: "microdata" | "rdfa"): Thing {
  const types = item.types.map(schemaName).filter((name) => name !== undefined);
  const properties = new Map<string, Value[]>();
  for (const [term, value] of types.length > 0 ? item.properties : []) {
    // A plain property of microdata belongs to the vocabulary of its item's type.
    const name = schemaName(term) ?? (/^[A-Za-z]\w*$/.test(term) ? term : undefined);
    if (name === undefined) continue;
    const read = typeof value === "string" ? tidy(value) : thingOfItem(value, source);
    const values = properties.get(name);
    if (values) values.push(read);
    else properties.set(name, [read]);
  }
  return { source, types, id: item.id, properties };
}

/** White space as one space: once here, because many things can refer to the same text. */
export const tidy = (text: string) => text.replace(/\s+/g, " ").trim();

/** Parsed JSON-LD contexts: what plain terms, prefixes and redefined terms mean. */
interface Context {
  isSchemaOrg: boolean;
  /** Whether `type` and `id` are other names of `@type` and `@id`, as schema.org's own context has them. */
  hasAliases: boolean;
  /** Prefixes of schema.org. */
  prefixes: ReadonlySet<string>;
  /** Terms that the page defines itself, which are not schema.org's. */
  redefined: ReadonlySet<string>;
}

const noContext: Context = {
  isSchemaOrg: false,
  hasAliases: false,
  prefixes: new Set(),
  redefined: new Set(),
};
const schemaContext =
  /^\s*(?:(?:https?:)?\/\/)?(?:www\.)?schema\.org(?:\/|\/docs\/jsonldcontext\.json(?:ld)?)?#?\s*$/i;

/** Contexts at other addresses are not loaded; terms are schema.org's only where the page itself says so. */
function contextOf(stated: unknown, outer: Context): Context {
  let { isSchemaOrg, hasAliases } = outer;
  const prefixes = new Set(outer.prefixes);
  const redefined = new Set(outer.redefined);
  for (const part of Array.isArray(stated) ? stated.slice(0, 20) : [stated]) {
    if (part === null) return noContext;
    if (typeof part === "string") {
      if (!schemaContext.test(part)) continue;
      isSchemaOrg = true;
      hasAliases = true;
      prefixes.add("schema");
      continue;
    }
    for (const [term, meaning] of Object.entries(object(part) ?? {})) {
      const address = typeof meaning === "string" ? meaning : undefined;
      if (term === "@vocab") isSchemaOrg = address !== undefined && schemaContext.test(address);
      else if (term.startsWith("@")) continue;
      else if (address !== undefined && schemaContext.test(address)) prefixes.add(term);
      else redefined.add(term);
    }
  }
  return { isSchemaOrg, hasAliases, prefixes, redefined };
}

/** The value of a keyword of JSON-LD, by its own name or by the one that the context gives it. */
const keyword = (node: Wire, name: "type" | "id", { hasAliases, redefined }: Context): unknown =>
  node[`@${name}`] ?? (hasAliases && !redefined.has(name) ? node[name] : undefined);

/** The name of a type or property in a JSON-LD node; undefined where it is not schema.org's. */
function nameOf(term: string, { isSchemaOrg, prefixes, redefined }: Context): string | undefined {
  const absolute = schemaName(term);
  if (absolute !== undefined) return absolute;
  const [prefix = "", name] = term.split(":");
  if (name !== undefined) return prefixes.has(prefix) && /^\w+$/.test(name) ? name : undefined;
  return isSchemaOrg && !redefined.has(term) && /^[A-Za-z]\w*$/.test(term) ? term : undefined;
}

const list = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? (value as unknown[]) : value === undefined ? [] : [value];

/** The things that a parsed JSON-LD document states by themselves, with references to one another followed. */
export function thingsOfJsonLd(document: unknown): Thing[] {
  const things: Thing[] = [];
  const byId = new Map<string, Thing>();

  function valueOf(value: unknown, context: Context): Value[] {
    if (Array.isArray(value)) return value.flatMap((one) => valueOf(one, context));
    if (typeof value === "boolean") return [value];
    if (typeof value === "string") return [tidy(value)];
    if (typeof value === "number") return Number.isFinite(value) ? [value] : [];
    const node = object(value);
    if (!node) return [];
    if ("@value" in node)
      return typeof node["@value"] === "object" ? [] : valueOf(node["@value"], context);
    if ("@list" in node) return valueOf(node["@list"], context);
    if ("@set" in node) return valueOf(node["@set"], context);
    return [thingOf(node, context)];
  }

  function thingOf(node: Wire, outer: Context): Thing {
    const context = "@context" in node ? contextOf(node["@context"], outer) : outer;
    const types = list(keyword(node, "type", context))
      .map((type) => (typeof type === "string" ? nameOf(type, context) : undefined))
      .filter((name) => name !== undefined);
    const properties = new Map<string, Value[]>();
    for (const [term, value] of Object.entries(node)) {
      const isKeyword = term.startsWith("@") || (context.hasAliases && /^(?:type|id)$/.test(term));
      const name = isKeyword ? undefined : nameOf(term, context);
      const values = name === undefined ? [] : valueOf(value, context);
      if (name !== undefined && values.length > 0) properties.set(name, values);
    }
    const stated = keyword(node, "id", context);
    const id = typeof stated === "string" ? stated : undefined;
    const thing: Thing = { source: "json_ld", types, id, properties };
    // A node with properties is the one that others of the same id refer to.
    if (id !== undefined && properties.size > 0 && !byId.has(id)) byId.set(id, thing);
    return thing;
  }

  function readTop(value: unknown, outer: Context): void {
    for (const one of list(value)) {
      const node = object(one);
      if (!node) continue;
      const context = "@context" in node ? contextOf(node["@context"], outer) : outer;
      if ("@graph" in node) readTop(node["@graph"], context);
      const thing = thingOf(node, context);
      if (thing.types.length > 0) things.push(thing);
    }
  }

  readTop(document, noContext);
  return resolved(things, byId);
}

/** Most values that are looked at for references, so that things that refer to each other cannot multiply. */
const mostResolved = 20_000;

/** Replaces references by the things that they name, two levels deep: deeper ones could run in circles. */
function resolved(things: readonly Thing[], byId: ReadonlyMap<string, Thing>): Thing[] {
  const isReference = (value: Value): value is Thing =>
    typeof value === "object" && value.properties.size === 0 && value.id !== undefined;
  let left = mostResolved;
  const resolve = (thing: Thing, depth: number): Thing => ({
    ...thing,
    properties: new Map(
      [...thing.properties].map(([name, values]) => [
        name,
        values.map((value) => {
          left -= 1;
          if (typeof value !== "object" || depth === 0 || left < 0) return value;
          if (!isReference(value)) return resolve(value, depth);
          const target = byId.get(value.id as string);
          return target ? resolve(target, depth - 1) : value;
        }),
      ]),
    ),
  });
  return things.map((thing) => resolve(thing, 2));
}
