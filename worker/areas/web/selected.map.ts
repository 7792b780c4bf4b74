import type { Extracted } from "./placed.map.ts";
import { momentIn, plainNumber } from "./values.map.ts";

type Type = "text" | "number" | "integer" | "boolean" | "url" | "date";
type Scalar = string | number | boolean;

export interface Selector {
  name: string;
  type: Type;
  many: boolean;
}

/** A currency's sign or code before or after a number. */
const currency = String.raw`(?:\p{Sc}|[A-Z]{3}|[A-Z]{1,3}\p{Sc})`;
const around = new RegExp(
  String.raw`^(-?)\s*(?:${currency}\s*)?(-?[\d.,]+)(?:\s*${currency})?$`,
  "u",
);

function numberIn(text: string): number | undefined {
  const [, sign = "", digits = ""] = around.exec(text.trim()) ?? [];
  const value = plainNumber(digits);
  if (value === undefined || (sign !== "" && digits.startsWith("-"))) return undefined;
  return sign === "" ? value : -value;
}

function typed(text: string, type: Type): Scalar | undefined {
  switch (type) {
    case "text":
    case "url":
      return text;
    case "number":
      return numberIn(text);
    case "integer": {
      const value = numberIn(text);
      return Number.isSafeInteger(value) ? value : undefined;
    }
    case "boolean": {
      const word = text.trim().toLowerCase();
      return word === "true" ? true : word === "false" ? false : undefined;
    }
    case "date":
      return momentIn(text.trim());
  }
}

/**
 * The caller's values by name, and why others are missing. One wrong value of a list leaves the whole list out,
 * because a list with gaps would not say so.
 */
export function selectedOf(
  selectors: readonly Selector[],
  found: readonly (readonly (string | null)[])[],
): Pick<Extracted, "selected" | "missing"> {
  if (selectors.length === 0) return {};
  const selected: Record<string, Scalar | Scalar[]> = {};
  const missing: NonNullable<Extracted["missing"]> = [];
  for (const [index, { name, type, many }] of selectors.entries()) {
    const texts = found[index] ?? [];
    const stated = texts.filter((text) => text !== null);
    const values = stated.map((text) => typed(text, type)).filter((value) => value !== undefined);
    if (texts.length === 0) missing.push({ name, reason: "no_match" });
    else if (stated.length < texts.length) missing.push({ name, reason: "no_value" });
    else if (values.length < stated.length) missing.push({ name, reason: "wrong_type" });
    else selected[name] = many ? values : (values[0] as Scalar);
  }
  return { selected, ...(missing.length > 0 ? { missing } : {}) };
}
