import { pathParameters } from "./operation.ts";

/** The HTTP request for a flat input: each field goes to the path, query or body, as the operation declares it. */
export function requestOf(
  op: { method: string; path: string },
  input: Readonly<Record<string, unknown>>,
): { method: string; path: string; body?: Readonly<Record<string, unknown>> } {
  const inPath = new Set(pathParameters(op.path));
  const path = op.path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(textOf(input[name] ?? "")),
  );
  const rest = Object.entries(input).filter(([name]) => !inPath.has(name));
  if (op.method === "POST") return { method: "POST", path, body: Object.fromEntries(rest) };
  const query = new URLSearchParams(rest.map(([name, value]) => [name, textOf(value)]));
  return { method: op.method, path: query.size > 0 ? `${path}?${query}` : path };
}

function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(textOf).join(",");
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}
