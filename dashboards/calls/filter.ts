import { type ErrorType, errorTypes } from "../../contract/errors.ts";
import { areas, operations } from "../../contract/index.ts";
import { nearOperations } from "../../contract/search-operations.ts";
import type { Mode } from "../../db/schema.ts";

/** The filter of the list of calls, as it stands in the address. */

export const fields = [
  "account",
  "key",
  "operation",
  "area",
  "status",
  "type",
  "mode",
  "hours",
  "until",
  "order",
  "after",
] as const;
export type Field = (typeof fields)[number];
export type Given = Partial<Record<Field, string>>;

export const usualHours = 24;
/** Call logs are kept for a week. */
export const mostHours = 168;

export interface Filter {
  account?: string | undefined;
  key?: string | undefined;
  operations?: readonly string[] | undefined;
  /** Least and highest status. */
  status?: readonly [number, number] | undefined;
  type?: ErrorType | undefined;
  mode?: Mode | undefined;
  hours: number;
  /** Unix time in milliseconds; absent: now. */
  until?: number | undefined;
  slowest: boolean;
  after?: { value: number; id: string } | undefined;
}

/** The given fields of the query without empty ones; a repeated field counts once. */
export function givenOf(query: Readonly<Record<string, unknown>>): Given {
  const given: Given = {};
  for (const field of fields) {
    const [value] = [query[field]].flat();
    const text = typeof value === "string" ? value.trim().slice(0, 200) : "";
    if (text !== "") given[field] = text;
  }
  return given;
}

export const addressOf = (given: Given): string => {
  const entries = fields.flatMap((field) => {
    const value = given[field];
    return value === undefined ? [] : [[field, value]];
  });
  return entries.length === 0 ? "/calls" : `/calls?${new URLSearchParams(entries).toString()}`;
};

function statusOf(text: string): readonly [number, number] | undefined {
  if (/^[1-5]xx$/i.test(text)) return [Number(text[0]) * 100, Number(text[0]) * 100 + 99];
  if (text === "failed") return [400, 599];
  return /^[1-5]\d\d$/.test(text) ? [Number(text), Number(text)] : undefined;
}

function operationsOf({ operation, area }: Given, objections: string[]): string[] | undefined {
  const ofArea = areas.find(({ name }) => name === area);
  if (area !== undefined && !ofArea) {
    objections.push(`There is no area ${area}: ${areas.map(({ name }) => name).join(", ")}.`);
  }
  if (operation === undefined) return ofArea?.operations.map(({ id }) => id);
  if (!operations.has(operation)) {
    const near = nearOperations(operation);
    const offer = near.length > 0 ? ` Near names: ${near.join(", ")}.` : "";
    objections.push(`There is no operation ${operation}.${offer}`);
  } else if (ofArea && !ofArea.operations.some(({ id }) => id === operation)) {
    objections.push(`The operation ${operation} is not in the area ${area}.`);
  }
  return [operation];
}

const positionPattern = /^(\d{1,16}(?:\.\d{1,6})?)_((?:svc_)?[A-Za-z0-9_-]{0,100})$/;

export const positionText = ({ value, id }: { value: number; id: string }): string =>
  `${value.toFixed(3).replace(/\.?0+$/, "")}_${id}`;

/** Reads the filter; the objections name each wrong field. */
export function filterOf(given: Given): { filter: Filter; objections: string[] } {
  const objections: string[] = [];
  const wrong = (text: string): undefined => void objections.push(text);
  const { account, key, status, type, mode, hours, until, order, after } = given;
  const [, value, id = ""] = positionPattern.exec(after ?? "") ?? [];
  if (after !== undefined && value === undefined) wrong("after is not a position of this list.");
  // A field of the form has minutes; a time in the address may have seconds.
  const isTime = until !== undefined && /^\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d)?Z?)?$/.test(until);
  const end = isTime
    ? Date.parse(until.length === 10 ? until : `${until.replace(" ", "T").replace("Z", "")}Z`)
    : Number.NaN;
  const span = Number(hours ?? usualHours);
  const filter: Filter = {
    account,
    key,
    operations: operationsOf(given, objections),
    status:
      status === undefined
        ? undefined
        : (statusOf(status) ??
          wrong(`status is a status such as 502, a class such as 5xx, or failed.`)),
    type:
      type === undefined
        ? undefined
        : (errorTypes.find((one) => one === type) ??
          wrong(`There is no error type ${type}: ${errorTypes.join(", ")}.`)),
    mode:
      mode === undefined
        ? undefined
        : mode === "live" || mode === "test"
          ? mode
          : wrong("mode is live or test."),
    hours:
      span > 0 && span <= mostHours
        ? span
        : (wrong(`hours is a number up to ${mostHours}.`) ?? usualHours),
    until:
      until === undefined
        ? undefined
        : Number.isNaN(end)
          ? wrong("until is a time in UTC such as 2026-01-31T20:30.")
          : end,
    slowest: order === "slowest",
    after: value === undefined ? undefined : { value: Number(value), id },
  };
  if (order !== undefined && order !== "slowest" && order !== "newest") {
    wrong("order is newest or slowest.");
  }
  return { filter, objections };
}
