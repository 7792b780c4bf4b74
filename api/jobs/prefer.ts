/** The caller's preference for its answer (RFC 7240); an unreadable one is ignored. */
export interface Preference {
  /** Seconds that the caller waits; 0 when it does not. */
  waitSeconds: number;
  /** The value of Preference-Applied once the preference was followed; absent where the job was asked for otherwise. */
  applied?: string;
}

/** Longest wait that is granted, in seconds: no operation runs longer. */
const mostSeconds = 120;
const token = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const word = `(?:${token}|"(?:[^"\\\\]|\\\\.)*")`;
/** One preference with its parameters; the two supported ones have none. */
const preference = new RegExp(`^\\s*(${token})\\s*(?:=\\s*(${word})?)?\\s*(?:;.*)?$`);
/** Longer headers are ignored. */
const mostCharacters = 1000;

/** Undefined when the caller prefers nothing that is supported. Of repeated preferences the first counts. */
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
