/** Start of an integer of 16 or more digits. It misses none, but may also match inside a string. */
const longInteger = /(?:^|[:[,\s])-?\d{16}/;

const quote = 34;
const backslash = 92;

/**
 * Parses JSON; integers beyond 2^53 become strings of digits, so that ids survive.
 * Returns undefined for invalid JSON.
 */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(longInteger.test(text) ? quoteLongIntegers(text) : text) as unknown;
  } catch {
    return undefined;
  }
}

function quoteLongIntegers(text: string): string {
  let out = "";
  let copied = 0;
  let at = 0;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code === quote) {
      at = afterString(text, at);
    } else if (isDigit(code)) {
      const end = afterDigits(text, at);
      const start = text[at - 1] === "-" ? at - 1 : at;
      if (end - at >= 16 && isWholeNumber(text, start, end)) {
        const digits = text.slice(start, end);
        if (!Number.isSafeInteger(Number(digits))) {
          out += `${text.slice(copied, start)}"${digits}"`;
          copied = end;
        }
      }
      at = end;
    } else {
      at += 1;
    }
  }
  return out + text.slice(copied);
}

/** False for the parts of a fraction or an exponent. */
function isWholeNumber(text: string, start: number, end: number): boolean {
  return !/[.+eE]/.test(text[start - 1] ?? "") && !/[.eE]/.test(text[end] ?? "");
}

function afterDigits(text: string, from: number): number {
  let at = from;
  while (at < text.length && isDigit(text.charCodeAt(at))) at += 1;
  return at;
}

function afterString(text: string, from: number): number {
  let end = from;
  for (;;) {
    end = text.indexOf('"', end + 1);
    if (end < 0) return text.length;
    let escapes = 0;
    while (text.charCodeAt(end - 1 - escapes) === backslash) escapes += 1;
    if (escapes % 2 === 0) return end + 1;
  }
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}
