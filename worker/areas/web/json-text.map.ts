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

/**
 * The text without what JSON forbids and a reader understands all the same: comments and trailing commas outside
 * strings, and line ends and tabs in them. Linear in the text's length.
 */
function strict(text: string): string {
  const parts: string[] = [];
  /** Place in `parts` of a comma after which only white space and comments came. */
  let comma: number | undefined;
  for (let at = 0; at < text.length;) {
    const character = text[at] as string;
    const two = text.slice(at, at + 2);
    const end = two === "//" ? lineEnd(text, at) : two === "/*" ? commentEnd(text, at) : undefined;
    if (end !== undefined) {
      at = end;
      continue;
    }
    if ((character === "}" || character === "]") && comma !== undefined) parts[comma] = "";
    if (character === ",") comma = parts.length;
    else if (!/\s/.test(character)) comma = undefined;
    const next = character === '"' ? stringEnd(text, at) : at + 1;
    const part = text.slice(at, next);
    parts.push(character === '"' ? part.replace(/[^ -\uffff]/g, escaped) : part);
    at = next;
  }
  return parts.join("");
}

const escaped = (sign: string) => JSON.stringify(sign).slice(1, -1);

function placeOf(text: string, sought: string, from: number): number {
  const found = text.indexOf(sought, from);
  return found === -1 ? text.length : found + sought.length;
}
const lineEnd = (text: string, at: number) => placeOf(text, "\n", at);
const commentEnd = (text: string, at: number) => placeOf(text, "*/", at + 2);

function stringEnd(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    if (text[at] === "\\") at += 1;
    else if (text[at] === '"') return at + 1;
  }
  return text.length;
}

/** The object or array that a page's script holds; undefined where it is none. */
export function parseWhole(text: string): unknown {
  // Some publishing systems wrap the content of scripts in comments of HTML or CDATA.
  const bare = text
    .trim()
    .replace(/^<!--[^{}[\]]{0,1000}?-->/, "")
    .replace(/^(?:\s*(?:\/\/|\/\*)?\s*(?:<!--|-->|<!\[CDATA\[|>)(?:\s*\*\/)?){0,5}/, "")
    .trim();
  return jsonIn(bare) ?? (/^[[{/]/.test(bare) ? jsonIn(strict(bare).trim()) : undefined);
}

/** Ends of such comments, and of the statement that some systems take the value for. */
const marks = /^(?:\s|;|\/\/|\/\*|\*\/|-->|<?!?\]\]>)*$/;

function jsonIn(text: string): unknown {
  const end = /^[[{]/.test(text) ? endOf(text) : undefined;
  if (end === undefined || text.length - end > 1000) return undefined;
  return marks.test(text.slice(end)) ? json(text.slice(0, end)) : undefined;
}

/** The object or array that a script assigns: a value of JSON that ends its statement. */
export function parseAssigned(text: string): unknown {
  const end = /^[[{]/.test(text) ? endOf(text) : undefined;
  if (end === undefined || !/^\s*(?:;|$|[\r\n(])/.test(text.slice(end, end + 100)))
    return undefined;
  return json(text.slice(0, end));
}
