import { pageTooLarge } from "../chromium/failure.ts";

/** Most bytes of a result, encoded as JSON. */
export const maxResultBytes = 32 * 1024 * 1024;

/** Returns the result; throws when it is too large to be sent. */
export function withinResultLimit<T extends object>(result: T): T {
  const characters = charactersIn(result);
  // One character takes at most six bytes, so most results are surely small enough without being encoded.
  const large =
    characters > maxResultBytes ||
    (characters * 6 > maxResultBytes && Buffer.byteLength(JSON.stringify(result)) > maxResultBytes);
  if (large) throw pageTooLarge(`${maxResultBytes / 1024 / 1024} MiB in the result`);
  return result;
}

/** Characters of all values and names, with the punctuation of JSON. */
function charactersIn(value: unknown): number {
  if (typeof value !== "object" || value === null) return String(value).length + 3;
  let characters = 2;
  for (const [name, member] of Object.entries(value)) {
    characters += (Array.isArray(value) ? 0 : name.length + 3) + charactersIn(member);
  }
  return characters;
}
