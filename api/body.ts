import { GatewayError, invalid } from "../contract/errors.ts";
import { byteFaults } from "./text.ts";

/** Arrays and objects may be nested this deep. */
const depthLimit = 32;

/** Parses a JSON body; checks its depth first, so that nothing later need fear a deep value. */
export function parseBody(bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined;
  const text = bytes.toString("utf8");
  if (depthOf(text) > depthLimit) {
    throw invalid("body", "", "too_deep", `The body is nested deeper than ${depthLimit} levels`);
  }
  const issues = byteFaults(bytes);
  if (issues.length > 0) {
    throw new GatewayError("validation_error", "The body is not valid UTF-8", { issues });
  }
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw invalid("body", "", "malformed_json", "The body is not valid JSON");
  }
}

function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  let quoted = false;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (quoted) {
      if (unit === 0x5c) index += 1;
      else if (unit === 0x22) quoted = false;
    } else if (unit === 0x22) quoted = true;
    else if (unit === 0x5b || unit === 0x7b) {
      depth += 1;
      if (depth > deepest) deepest = depth;
    } else if (unit === 0x5d || unit === 0x7d) depth -= 1;
  }
  return deepest;
}
