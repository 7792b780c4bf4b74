import { GatewayError, invalid } from "../../contract/errors.ts";
import { byteFaults } from "./text.ts";

/** Arrays and objects may be nested this deep. */
const depthLimit = 32;
/** Members of all arrays and objects together; the largest input there is holds a tenth of it. */
export const mostValues = 20_000;

/**
 * Parses a JSON body. Its depth and its number of values are looked at first: four megabytes of empty
 * objects take seconds and gigabytes to build, and nothing later need fear a deep or a crowded value.
 */
export function parseBody(bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined;
  checkShape(bytes);
  const issues = byteFaults(bytes);
  if (issues.length > 0) {
    throw new GatewayError("validation_error", "The body is not valid UTF-8", { issues });
  }
  try {
    return JSON.parse(bytes.toString("utf8")) as unknown;
  } catch {
    throw invalid("body", "", "malformed_json", "The body is not valid JSON");
  }
}

/** Reads bytes: none of a longer UTF-8 sequence is one of these signs. */
function checkShape(bytes: Buffer): void {
  let depth = 0;
  let values = 0;
  for (let index = 0; index < bytes.length; index += 1) {
    switch (bytes[index]) {
      case 0x22: // "
        index = endOfText(bytes, index + 1);
        break;
      case 0x2c: // ,
        values += 1;
        if (values > mostValues) throw tooMany();
        break;
      case 0x5b: // [
      case 0x7b: // {
        depth += 1;
        values += 1;
        if (depth > depthLimit) throw tooDeep();
        if (values > mostValues) throw tooMany();
        break;
      case 0x5d: // ]
      case 0x7d: // }
        depth -= 1;
    }
  }
}

/** Where the quotation mark is that ends a text. */
function endOfText(bytes: Buffer, start: number): number {
  let index = start;
  while (index < bytes.length && bytes[index] !== 0x22) index += bytes[index] === 0x5c ? 2 : 1;
  return index;
}

const tooDeep = () =>
  invalid("body", "", "too_deep", `The body is nested deeper than ${depthLimit} levels`);
const tooMany = () =>
  invalid("body", "", "too_many_values", `The body holds more than ${mostValues} values`);
