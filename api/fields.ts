import type { IncomingMessage } from "node:http";
import { chooseOfEach, faultsOfFields } from "../contract/choose.ts";
import { GatewayError, type Issue, maxIssues } from "../contract/errors.ts";
import type { Operation } from "../contract/operation.ts";
import type { Response } from "./call.ts";
import { readFields } from "./headers.ts";
import type { Query } from "./edge/text.ts";

/** `fields` of the query and `Svc-Fields`: which members of a record are returned. */

const parameter = "fields";

export interface Chosen {
  fields: readonly string[] | undefined;
  /** The query without what is meant here. */
  query: Query;
}

/** Throws where a name is none of the operation's. An input of the operation that has this name is its own. */
export function chosenIn(
  op: Pick<Operation, "data" | "input">,
  raw: IncomingMessage,
  query: Query,
): Chosen {
  const header = readFields(raw);
  const isOwn = Object.hasOwn(op.input.shape, parameter);
  const values = isOwn || query.notUtf8?.includes(parameter) ? [] : query.getAll(parameter);
  const asked = header ?? (values.length > 0 ? values.join(",") : undefined);
  if (asked === undefined) return { fields: undefined, query };
  const place: Pick<Issue, "in" | "path"> =
    header === undefined ? { in: "query", path: parameter } : { in: "header", path: "Svc-Fields" };
  const fields = namesIn(asked);
  const messages =
    header !== undefined && values.length > 0
      ? ["is given as fields in the query as well"]
      : faultsOfFields(op, fields);
  refuse(messages, place);
  if (values.length === 0) return { fields, query };
  const rest = new URLSearchParams([...query].filter(([name]) => name !== parameter)) as Query;
  if (query.notUtf8) rest.notUtf8 = query.notUtf8;
  return { fields, query: rest };
}

/** As written for all calls of a batch; throws where a name is none of some operation's. */
export function chosenForAll(
  asked: string | undefined,
  operations: Iterable<Operation>,
  place: Pick<Issue, "in" | "path">,
): readonly string[] | undefined {
  if (asked === undefined) return undefined;
  const fields = namesIn(asked);
  const messages: string[] = [];
  for (const op of operations) {
    messages.push(...faultsOfFields(op, fields).map((fault) => `${fault} (${op.id})`));
    if (messages.length >= maxIssues) break;
  }
  refuse(messages.slice(0, maxIssues), place);
  return fields;
}

const namesIn = (asked: string): string[] => asked.split(",").map((name) => name.trim());

function refuse(messages: readonly string[], place: Pick<Issue, "in" | "path">): void {
  if (messages.length === 0) return;
  const issues = messages.map((message) => ({ ...place, code: "unknown_member", message }));
  throw new GatewayError("validation_error", `${place.path}: ${messages[0]}`, { issues });
}

/** A success with these members of its records alone. What is kept of it stays whole. */
export function narrowed(response: Response, fields: readonly string[] | undefined): Response {
  if (!fields || response.status !== 200) return response;
  const envelope = JSON.parse(response.body.toString()) as { data: unknown };
  const chosen = { ...envelope, data: chooseOfEach(envelope.data, fields) };
  return { ...response, body: Buffer.from(JSON.stringify(chosen)) };
}
