/** Shape of a value without the value itself. */
export function describe(value: unknown): string {
  if (value === null) return "null";
  if (typeof value === "string") return `string, ${value.length} characters`;
  if (Array.isArray(value)) return `list of ${value.length}`;
  if (typeof value === "object") return `object with ${Object.keys(value).length} fields`;
  return typeof value;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Job data as an operator may see it: which operation, mode, tenant and times, never what was asked. */
export function redactJobData(data: unknown): unknown {
  if (!isObject(data)) return describe(data);
  if ("delivery" in data) return redactWebhook(data);
  const { operation, mode, scenario, tenant, max_records, deadline, reply, input, cursor } = data;
  return {
    operation,
    mode,
    ...(scenario === undefined ? {} : { scenario }),
    tenant,
    max_records,
    deadline: typeof deadline === "number" ? new Date(deadline).toISOString() : describe(deadline),
    reply,
    // Names of fields come from the operation's own schema; anything deeper may be the caller's.
    input: isObject(input)
      ? Object.fromEntries(Object.entries(input).map(([key, value]) => [key, describe(value)]))
      : describe(input),
    ...(cursor === undefined ? {} : { cursor: describe(cursor) }),
  };
}

/** Of the address only the host: its path is often a secret. */
function redactWebhook(data: Record<string, unknown>): unknown {
  const { delivery, attempt, url, headers, deadline } = data;
  return {
    delivery,
    attempt,
    event: isObject(headers) ? headers["webhook-id"] : describe(headers),
    host: typeof url === "string" ? URL.parse(url)?.host : describe(url),
    deadline: typeof deadline === "number" ? new Date(deadline).toISOString() : describe(deadline),
  };
}

function* strings(value: unknown): Generator<string> {
  if (typeof value === "string") yield value;
  else if (Array.isArray(value)) for (const item of value) yield* strings(item);
  else if (isObject(value)) for (const item of Object.values(value)) yield* strings(item);
}

/** Beyond this many strings of an input nothing of the text is shown. */
const mostStrings = 1_000;

/** Returns a function that takes every string of the input out of a text, such as an error's message. */
export function withoutInput(data: unknown): (text: string) => string {
  const found = new Set<string>();
  for (const text of strings(
    isObject(data) ? [data.input, data.cursor, data.url, data.body] : data,
  )) {
    // Shorter ones are words of any message, and say nothing when they turn up in one.
    if (text.length < 4) continue;
    found.add(text);
    found.add(JSON.stringify(text).slice(1, -1));
    found.add(encodeURI(text.toWellFormed()));
    found.add(encodeURIComponent(text.toWellFormed()));
  }
  if (found.size > 4 * mostStrings)
    return () => "not shown: the input is too large to be taken out";
  // Longest first, so that a string inside another one does not break it up.
  const ordered = [...found].sort((a, b) => b.length - a.length);
  return (text) => ordered.reduce((left, secret) => left.replaceAll(secret, "[input]"), text);
}
