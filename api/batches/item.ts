import type * as z from "zod";
import { batchItem, customIdLimit } from "../../contract/batches.ts";
import { priceOf } from "../../contract/pricing.ts";
import { GatewayError, type Issue, beginning, maxIssues } from "../../contract/errors.ts";
import { type Operation, pathParameters } from "../../contract/operation.ts";
import { noSuchOperation } from "../../contract/search-operations.ts";
import type { OlderVersions } from "../../contract/version.ts";
import { parseBody } from "../edge/body.ts";
import { crowdOf, translate } from "../input-issues.ts";
import type { Call, Request } from "../call.ts";
import type { Query } from "../edge/text.ts";
import { upgradedInput } from "../version-changes.ts";
import { parseCall } from "../parse-call.ts";
import { bodyLimitOf } from "../edge/size.ts";
import type { Piece } from "./scanner.ts";

/** An issue of one item, with the field's path as the caller wrote it. */
export interface ItemIssue extends Issue {
  line: number;
  custom_id?: string | undefined;
}

/** One valid item as it is stored. */
export interface ReadItem {
  line: number;
  customId: string;
  op: Operation;
  /** The input in the current version, as JSON. */
  input: string;
  minimum: number;
  /** Credits of a success that returns as little as possible. */
  least: number;
  /** Credits of a success that returns as much as possible. */
  most: number;
  /** The longest time from its start to its answer, in milliseconds. */
  lastsMs: number;
  /** The item as a value, for the fingerprint of the batch. */
  value: unknown;
}

/** The parts of a request that all items of a batch share. */
export type Common = Pick<Request, "caller" | "version" | "scenario" | "arrivedAt">;

/** Bytes of an item beside its input. */
const envelopeBytes = 1024;
const noQuery: Query = new URLSearchParams();
const never = new AbortController().signal;

/** Operations for batches: all parameters come in one object. */
export class BatchOperations {
  readonly #known: ReadonlyMap<string, { op: Operation; inBody: Operation; limit: number }>;

  /** Versions of which items may be. */
  readonly olderVersions: OlderVersions;

  constructor(operations: readonly Operation[], olderVersions: OlderVersions = new Map()) {
    this.olderVersions = olderVersions;
    this.#known = new Map(
      operations.map((op) => [
        op.id,
        { op, inBody: { ...op, method: "POST" }, limit: bodyLimitOf(op) + envelopeBytes },
      ]),
    );
  }

  /** The longest item of any operation, in bytes. */
  get longest(): number {
    return Math.max(...[...this.#known.values()].map(({ limit }) => limit));
  }

  find(id: string): Operation | undefined {
    return this.#known.get(id)?.op;
  }

  limitOf(id: string): number {
    return this.#known.get(id)?.limit ?? 0;
  }

  /** Validates an item like an HTTP call; throws the error of that call. */
  callOf(
    operation: string,
    requestId: string,
    input: Record<string, unknown>,
    common: Common,
    cursorSecret: string,
    /** As in `parseCall`. */
    now?: number,
  ): Call {
    const known = this.#known.get(operation);
    if (!known) throw new GatewayError("not_found", `There is no operation ${operation}`);
    const { op, inBody } = known;
    const inPath = pathParameters(op.path);
    const body = { ...input };
    const path: Record<string, string> = {};
    for (const name of inPath) {
      // The schema refuses a value that is not a text.
      if (Object.hasOwn(body, name)) path[name] = body[name] as string;
      delete body[name];
    }
    const request: Request = {
      ...common,
      requestId,
      method: op.method,
      path: op.path,
      raw: { path, query: noQuery, body },
      idempotencyKey: undefined,
      gone: never,
    };
    return { ...parseCall(inBody, request, cursorSecret, now), op };
  }
}

/** Near ids are searched for this many names of a batch: a search costs as much as reading a hundred items. */
const mostSearched = 3;

/** Describes unknown operations of one batch, with the nearest ids. */
export class MisspeltOperations {
  readonly #described = new Map<string, string>();

  describe(id: string): string {
    const known = this.#described.get(id);
    if (known !== undefined) return known;
    if (this.#described.size >= mostSearched) return "no operation has this id";
    const text = noSuchOperation(id);
    this.#described.set(id, text);
    return text;
  }
}

/** Why a piece is no item; `below` is the member that the issues' paths begin at. */
interface Fault {
  issues: readonly Issue[];
  below?: string;
}

type Parsed = z.output<typeof batchItem>;

/** Reads one item; issues name fields as the caller wrote them and lines of the body. */
export function readItem(
  piece: Piece,
  operations: BatchOperations,
  common: Common,
  cursorSecret: string,
  misspelt = new MisspeltOperations(),
): { item: ReadItem } | { issues: ItemIssue[] } {
  const { line, bytes } = piece;
  if (!bytes)
    return issuesOf(piece, fault("too_large", `is longer than ${operations.longest} bytes`));
  const body = valueOf(bytes);
  if ("issues" in body) return issuesOf(piece, body);
  const { value } = body;
  const named = (value as { custom_id?: unknown } | null)?.custom_id;
  const customId = typeof named === "string" ? beginning(named, customIdLimit) : undefined;
  const parsed = parsedItem(value, bytes.length, operations, misspelt);
  if ("issues" in parsed) return issuesOf(piece, parsed, customId);
  const read = readCall(parsed, operations, common, cursorSecret);
  if ("issues" in read) return issuesOf(piece, read, customId);
  return { item: { line, customId: parsed.custom_id, ...read, value } };
}

function valueOf(bytes: Buffer): { value: unknown } | Fault {
  let value: unknown;
  try {
    value = parseBody(bytes);
  } catch (error) {
    if (!(error instanceof GatewayError) || !error.issues) throw error;
    return {
      issues: error.issues.map((issue) => ({
        ...issue,
        message: issue.message.replace(/^The body /, ""),
      })),
    };
  }
  return value === undefined ? fault("malformed_json", "is not valid JSON") : { value };
}

/** The members of an item; throws when its operation is unknown, or its length beyond that operation's limit. */
function parsedItem(
  value: unknown,
  length: number,
  operations: BatchOperations,
  misspelt: MisspeltOperations,
): Parsed | Fault {
  const sent = value as { operation?: unknown; input?: unknown } | null;
  // Check before building anything: a copy of a crowded object costs as much as reading it.
  const asked = operations.find(String(sent?.operation))?.input.shape;
  const crowd = crowdIn(value, batchItem.shape) ?? crowdIn(sent?.input, asked ?? {}, "input");
  if (crowd) return crowd;
  const parsed = batchItem.safeParse(value);
  if (!parsed.success) return faultOfShape(parsed.error);
  const { custom_id, operation } = parsed.data;
  if (!custom_id.isWellFormed())
    return fault("invalid_text", "is not valid Unicode text", "custom_id");
  if (!operations.find(operation))
    return fault("unknown_operation", misspelt.describe(operation), "operation");
  const limit = operations.limitOf(operation);
  return length > limit ? fault("too_large", `is longer than ${limit} bytes`) : parsed.data;
}

const faultOfShape = (error: z.ZodError): Fault => ({
  issues: error.issues.flatMap((issue) => translate(issue, () => "body")),
});

/** The input as the HTTP route of its operation would take it, and its price. */
function readCall(
  { operation, input }: Parsed,
  operations: BatchOperations,
  common: Common,
  cursorSecret: string,
): Omit<ReadItem, "line" | "customId" | "value"> | Fault {
  try {
    const known = operations.find(operation);
    const older = operations.olderVersions.get(common.version);
    const current = known ? upgradedInput(known, input, older) : input;
    const call = operations.callOf(operation, "", current, common, cursorSecret);
    const { op } = call;
    return {
      op,
      input: JSON.stringify(current),
      minimum: op.minimum,
      ...priceOf(op, call.most),
      lastsMs: call.deadline - common.arrivedAt,
    };
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    const { issues = [] } = error;
    return issues.length > 0
      ? { issues, below: "input" }
      : fault(error.type, error.message, "input");
  }
}

const fault = (code: string, message: string, path = ""): Fault => ({
  issues: [{ in: "body", path, code, message }],
});

/** The issues of a fault, with their line in the body. */
function issuesOf(
  { index, line }: Piece,
  { issues, below = "" }: Fault,
  customId?: string,
): { issues: ItemIssue[] } {
  return {
    issues: issues.slice(0, maxIssues).map((issue): ItemIssue => {
      const rest = [below, issue.path].filter(Boolean).join(".").replaceAll(".[", "[");
      return {
        in: "body",
        path: `items[${index}]${rest && !rest.startsWith("[") ? "." : ""}${rest}`,
        code: issue.code,
        message: issue.message,
        line,
        custom_id: customId,
      };
    }),
  };
}

/** The issues of an object with far too many names. */
function crowdIn(value: unknown, known: object, below = ""): Fault | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const issues = crowdOf(Object.keys(value), known);
  return issues && { issues, below };
}
