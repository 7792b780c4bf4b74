/** How a caller prefers to have its answer (RFC 7240); what cannot be read is as if it were not there. */
export interface Preference {
  /** Seconds that the caller is ready to wait; 0 where it goes away at once. */
  waitSeconds: number;
  /** What Preference-Applied says where it was followed. */
  applied: string;
}

/** Longest wait that is granted, in seconds: no operation runs longer. */
const mostSeconds = 120;
const token = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const word = `(?:${token}|"(?:[^"\\\\]|\\\\.)*")`;
/** One preference with its parameters, which neither of ours has. */
const preference = new RegExp(`^\\s*(${token})\\s*(?:=\\s*(${word})?)?\\s*(?:;.*)?$`);
/** A longer header is not read. */
const mostCharacters = 1000;

/** Undefined where the caller asks for nothing but its answer. The first of several of one name counts. */
export function readPrefer(header: string | string[] | undefined): Preference | undefined {
  const text = Array.isArray(header) ? header.join(",") : (header ?? "");
  if (text.length > mostCharacters) return undefined;
  const found = new Map<string, string>();
  for (const part of text.match(/(?:"(?:[^"\\]|\\.)*"|[^",])+/g) ?? []) {
    const [, name = "", value = ""] = preference.exec(part) ?? [];
    const known = name.toLowerCase();
    if (known !== "" && !found.has(known)) found.set(known, value.replace(/^"(.*)"$/, "$1"));
  }
  const wait = found.get("wait") ?? "";
  const waits = /^\d{1,9}$/.test(wait);
  const async = found.get("respond-async") === "";
  if (!async && !waits) return undefined;
  const waitSeconds = waits ? Math.min(mostSeconds, Number(wait)) : 0;
  const applied = [...(async ? ["respond-async"] : []), ...(waits ? [`wait=${waitSeconds}`] : [])];
  return { waitSeconds, applied: applied.join(", ") };
}
