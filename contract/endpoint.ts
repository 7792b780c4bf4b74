import * as z from "zod";

/** Headers that endpoints read beside the usual ones; the OpenAPI document describes them. */
export type RequestHeader =
  | "Idempotency-Key"
  | "Svc-Dry-Run"
  | "Svc-Fields"
  | "Svc-Test-Scenario"
  | "Svc-Version"
  | "Svc-Webhook-Url";

/** Another answer than the success: `data` as it is, or the error envelope where it is absent. */
interface OtherAnswer {
  description: string;
  headers?: readonly string[];
  data?: z.ZodType;
}

/** Many items in one body: JSON with the options beside `items`, or NDJSON with the options in the query. */
interface ManyItems {
  item: z.ZodType;
  most: number;
  options: z.ZodObject;
  example: { items: readonly unknown[] };
}

/**
 * One of the gateway's own endpoints. They are free, and answer in the success envelope unless they say
 * otherwise. From this the API makes the route, decodes the input and describes both in the OpenAPI document.
 */
export interface Endpoint {
  /** Stable: the `operationId` of the OpenAPI document. */
  readonly id: string;
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  /** Every `{name}` is a field of `input`; the others are the query, on POST and PATCH the body. */
  readonly path: string;
  readonly summary: string;
  readonly description?: string;
  /** One flat strict object: path, query and body fields together. Nothing is decoded where it is absent. */
  readonly input?: z.ZodObject;
  /** A body of many items; the handler reads it as it comes. */
  readonly items?: ManyItems;
  /** Limit of the body; the one of every route where absent. */
  readonly bodyBytes?: number;
  /** Beside the input. */
  readonly headers?: readonly RequestHeader[];
  readonly data: z.ZodType;
  /** Of a success; 200 where absent. */
  readonly status?: 201 | 202;
  /** A success in one word; "OK" where absent. */
  readonly success?: string;
  /** Media type of `data` where it comes without the envelope. */
  readonly bare?: "application/json" | "application/x-ndjson" | "text/html";
  /** Another media type in which the caller may ask for `data`, without the envelope. */
  readonly alsoAs?: "text/csv";
  /** Headers of a success beside the usual ones, with their meaning. */
  readonly answerHeaders?: Readonly<Record<string, string>>;
  /** By status: answers beside the success and the usual errors. */
  readonly others?: Readonly<Record<number, OtherAnswer>>;
  /** True where the answer is a page of a list that goes on by cursors. */
  readonly paged?: boolean;
  /** True where no key is needed. */
  readonly open?: boolean;
}

export type EndpointInput<E extends Endpoint> = E extends { input: infer I extends z.ZodObject }
  ? z.output<I>
  : undefined;
export type EndpointData<E extends Endpoint> = z.output<E["data"]>;

/** Of a body of many items. */
export const mediaTypesOfItems = [
  "application/json",
  "application/x-ndjson",
  "application/ndjson",
  "application/jsonl",
];

/** GET and DELETE take no body. */
export const takesBody = ({ method }: Pick<Endpoint, "method">): boolean =>
  method === "POST" || method === "PATCH";

/** Keeps the literal id and the schema types of a declaration. */
export const endpoint = <const E extends Endpoint>(declaration: E): E => declaration;

/** Input of the endpoints that take none. */
export const nothing = z.strictObject({});
