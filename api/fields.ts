import type { IncomingMessage } from "node:http";
import { chooseOfEach, faultsOfFields } from "../contract/field-selection.ts";
import { GatewayError, type Issue, invalid, maxIssues } from "../contract/errors.ts";
import type { Operation } from "../contract/operation.ts";
import type { Response } from "./call.ts";
import { readFields } from "./headers.ts";
import type { Query } from "./edge/text.ts";

/** `fields` of the query and the header `Svc-Fields`: the members of a record that an answer returns. */

const parameter = "fields";

export interface Chosen {
  fields: readonly string[] | undefined;
  /** The query without the parameter `fields` when it selects members. */
  query: Query;
}

/**
 * Throws when a name is not a member of the operation's records. An operation's own input `fields` is left to
 * it.
 */
export function chosenIn(
  op: Pick<Operation, "data" | "input">,
  raw: IncomingMessage,
  query: Query,
): Chosen {
  const header = readFields(raw);
  const isOwn = Object.hasOwn(op.input.shape, parameter);
  const isBroken = query.notUtf8?.includes(parameter) || query.malformed?.includes(parameter);
  const values = isOwn || isBroken ? [] : query.getAll(parameter);
  if (header !== undefined && values.length > 0) throw givenTwice("query");
  const requested = header ?? (values.length > 0 ? values.join(",") : undefined);
  if (requested === undefined) return { fields: undefined, query };
  const location: Pick<Issue, "in" | "path"> =
    header === undefined ? { in: "query", path: parameter } : { in: "header", path: "Svc-Fields" };
  const fields = namesIn(requested);
  refuse(faultsOfFields(op, fields), location);
  if (values.length === 0) return { fields, query };
  const rest = new URLSearchParams([...query].filter(([name]) => name !== parameter)) as Query;
  if (query.notUtf8) rest.notUtf8 = query.notUtf8;
  if (query.malformed) rest.malformed = query.malformed;
  return { fields, query: rest };
}

/** The same for all calls of a batch; throws when a name is unknown to one of its operations. */
export function chosenForAll(
  requested: string | undefined,
  operations: Iterable<Operation>,
  location: Pick<Issue, "in" | "path">,
): readonly string[] | undefined {
  if (requested === undefined) return undefined;
  const fields = namesIn(requested);
  const messages: string[] = [];
  for (const op of operations) {
    messages.push(...faultsOfFields(op, fields).map((fault) => `${fault} (${op.id})`));
    if (messages.length >= maxIssues) break;
  }
  refuse(messages.slice(0, maxIssues), location);
  return fields;
}

/** The header and a field are two ways of one option. */
export const givenTwice = (where: "body" | "query"): GatewayError =>
  invalid(where, parameter, "duplicate", `${parameter}: Svc-Fields is given too`);

const namesIn = (requested: string): string[] => requested.split(",").map((name) => name.trim());

function refuse(messages: readonly string[], location: Pick<Issue, "in" | "path">): void {
  if (messages.length === 0) return;
  const issues = messages.map((message) => ({ ...location, code: "unknown_member", message }));
  throw new GatewayError("validation_error", `${location.path}: ${messages[0]}`, { issues });
}

/** Reduces the records of a success to these members. The kept answer stays whole. */
export function narrowed(response: Response, fields: readonly string[] | undefined): Response {
  if (!fields || response.status !== 200) return response;
  const envelope = JSON.parse(response.body.toString()) as { data: unknown };
  const chosen = { ...envelope, data: chooseOfEach(envelope.data, fields) };
  return { ...response, body: Buffer.from(JSON.stringify(chosen)) };
}
