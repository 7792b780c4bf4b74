import { json } from "#wire";

const mostDepth = 100;

/**
 * The end of the JSON object or array at the start of a text; undefined where it is cut off or nested too deeply
 * for what reads it afterwards. Linear in the text's length.
 */
function endOf(text: string): number | undefined {
  let depth = 0;
  let isInString = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (isInString) {
      if (character === "\\") at += 1;
      else if (character === '"') isInString = false;
    } else if (character === '"') isInString = true;
    else if (character === "{" || character === "[") {
      depth += 1;
      if (depth > mostDepth) return undefined;
    } else if (character === "}" || character === "]") {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return undefined;
}

/** The object or array that a page's script holds; undefined where it is none. */
export function parseWhole(text: string): unknown {
  // Some publishing systems wrap the content of scripts in comments of HTML or CDATA.
  const bare = text
    .trim()
    .replace(/^(?:<!--|\/\/\s*<!\[CDATA\[|\/\*\s*<!\[CDATA\[\s*\*\/)/, "")
    .replace(/(?:-->|\/\/\s*\]\]>|\/\*\s*\]\]>\s*\*\/)$/, "")
    .trim();
  const end = /^[[{]/.test(bare) ? endOf(bare) : undefined;
  return end === bare.length ? json(bare) : undefined;
}

/** The object or array that a script assigns: a value of JSON that ends its statement. */
export function parseAssigned(text: string): unknown {
  const end = /^[[{]/.test(text) ? endOf(text) : undefined;
  if (end === undefined || !/^\s*(?:;|$|[\r\n(])/.test(text.slice(end, end + 100)))
    return undefined;
  return json(text.slice(0, end));
}
