import type { Outgoing } from "./transport.ts";

/** Requests made of the contract's paths and fields. */

type Part<T> = [T] extends [never] ? object : T extends object ? T : object;

/** The parts of a request in the generated types. */
interface Described {
  body?: unknown;
  path?: unknown;
  query?: unknown;
}

/** The fields of an operation: path, query and body together, as one object. */
export type Input<Data extends Described> = Part<NonNullable<Data["path"]>> &
  Part<NonNullable<Data["query"]>> &
  Part<NonNullable<Data["body"]>>;

/** How an operation is called; generated. */
export interface Route {
  method: Outgoing["method"];
  /** With `{name}` for each field that stands in the path. */
  path: string;
}

/** Puts each field where the operation has it. Undefined ones are left out. */
export function outgoing({ method, path }: Route, input: object): Outgoing {
  const { filled, fields } = fillPath(path, input);
  if (method === "POST") {
    return { method, path: filled, body: JSON.stringify(Object.fromEntries(fields)) };
  }
  return withQuery(method, filled, fields);
}

/**
 * A request to one of the gateway's own endpoints, without a body. `Data` is the endpoint's generated type: the
 * compiler holds path and fields against the contract.
 */
export function ownRequest<Data extends Described & { url: string }>(
  method: Outgoing["method"],
  path: Data["url"],
  input: Part<NonNullable<Data["path"]>> & Part<NonNullable<Data["query"]>>,
): Outgoing {
  const { filled, fields } = fillPath(path, input);
  return withQuery(method, filled, fields);
}

/** Fills in the parameters of a path; returns the fields that are left, too. */
function fillPath(path: string, input: object) {
  const fields = new Map(Object.entries(input).filter(([, value]) => value !== undefined));
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = fields.get(name) as string | number | undefined;
    if (value === undefined || value === "") throw new TypeError(`${name}: is required`);
    fields.delete(name);
    return encodeURIComponent(value);
  });
  return { filled, fields };
}

function withQuery(
  method: Outgoing["method"],
  path: string,
  fields: ReadonlyMap<string, unknown>,
): Outgoing {
  const query = new URLSearchParams();
  for (const [name, value] of fields) {
    query.set(name, Array.isArray(value) ? value.join(",") : String(value));
  }
  const text = query.toString();
  return { method, path: text === "" ? path : `${path}?${text}` };
}
