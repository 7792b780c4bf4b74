/** The type and size of a value, without the value itself. */
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

/** Job data that an operator may see: operation, mode, tenant and times, never the input. */
export function redactJobData(data: unknown): unknown {
  if (!isObject(data)) return describe(data);
  if ("delivery" in data) return redactWebhook(data);
  const { operation, mode, scenario, tenant, max_records, deadline, reply, input, cursor } = data;
  return {
    operation,
    mode,
    scenario,
    tenant,
    max_records,
    deadline: typeof deadline === "number" ? new Date(deadline).toISOString() : describe(deadline),
    reply,
    // Field names come from the operation's schema; nested names may come from the caller.
    input: isObject(input)
      ? Object.fromEntries(Object.entries(input).map(([key, value]) => [key, describe(value)]))
      : describe(input),
    cursor: cursor === undefined ? undefined : describe(cursor),
  };
}

/** Shows only the host of the address, because its path is often a secret. */
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

/** An input with more strings than this hides the whole text. */
const mostStrings = 1_000;

/** Returns a function that removes every string of the input from a text, such as an error's message. */
export function withoutInput(data: unknown): (text: string) => string {
  const found = new Set<string>();
  for (const text of strings(
    isObject(data) ? [data.input, data.cursor, data.url, data.body] : data,
  )) {
    // Shorter strings occur in any message, so finding them there reveals nothing.
    if (text.length < 4) continue;
    found.add(text);
    found.add(JSON.stringify(text).slice(1, -1));
    found.add(encodeURI(text.toWellFormed()));
    found.add(encodeURIComponent(text.toWellFormed()));
  }
  if (found.size > 4 * mostStrings) return () => "not shown: the input is too large to be removed";
  // Longest first, so that a string inside another one does not break it up.
  const ordered = [...found].sort((a, b) => b.length - a.length);
  return (text) => ordered.reduce((left, secret) => left.replaceAll(secret, "[input]"), text);
}
