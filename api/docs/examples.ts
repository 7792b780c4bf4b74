import { type Operation, pathParameters } from "../../contract/operation.ts";

type Input = Readonly<Record<string, unknown>>;

/** An operation's example as a command and as programs; the key and the address stand in the environment. */
export interface Examples {
  curl: string;
  /** With the client of `client/`. */
  typescript: string;
  /** With Python's own library. */
  python: string;
}

export function examplesOf(op: Operation): Examples {
  const input = op.example as Input;
  const inPath = new Set(pathParameters(op.path));
  const path = op.path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(text(input[name])),
  );
  const rest = Object.fromEntries(Object.entries(input).filter(([name]) => !inPath.has(name)));
  const query = new URLSearchParams(
    Object.entries(rest).map(([name, value]) => [name, text(value)]),
  );
  const isPost = op.method === "POST";
  const address = !isPost && query.size > 0 ? `${path}?${query}` : path;
  return {
    curl: curl(address, isPost ? rest : undefined),
    typescript: typescript(op, input),
    python: python(address, isPost ? rest : undefined),
  };
}

function text(value: unknown): string {
  if (Array.isArray(value)) return value.map(text).join(",");
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

function curl(address: string, body: Input | undefined): string {
  const lines = [
    `curl -sS "$GATEWAY_URL${address}"`,
    `  -H "Authorization: Bearer $GATEWAY_KEY"`,
    ...(body
      ? [
          `  -H "Content-Type: application/json"`,
          `  -d '${JSON.stringify(body).replaceAll("'", "'\\''")}'`,
        ]
      : []),
  ];
  return lines.join(" \\\n");
}

function typescript(op: Operation, input: Input): string {
  const method = op.id.replace(/[_-](\w)/g, (_, letter: string) => letter.toUpperCase());
  const call = `gateway.${method}(${JSON.stringify(input)})`;
  return [
    `import { Gateway } from "public-data-gateway-client";`,
    "",
    `const gateway = new Gateway({ key: process.env.GATEWAY_KEY!, baseUrl: process.env.GATEWAY_URL! });`,
    `const { data, billing } = await ${call};`,
    `console.log(data, billing.credits_charged);`,
  ].join("\n");
}

function python(address: string, body: Input | undefined): string {
  const more = body
    ? [
        `        "Content-Type": "application/json",`,
        `    },`,
        `    data=json.dumps(json.loads(r'''${JSON.stringify(body)}''')).encode(),`,
      ]
    : [`    },`];
  return [
    "import json, os, urllib.request",
    "",
    "request = urllib.request.Request(",
    `    os.environ["GATEWAY_URL"] + ${JSON.stringify(address)},`,
    `    headers={`,
    `        "Authorization": "Bearer " + os.environ["GATEWAY_KEY"],`,
    ...more,
    ")",
    "with urllib.request.urlopen(request, timeout=90) as response:",
    "    answer = json.load(response)",
    `print(answer["data"], answer["billing"]["credits_charged"])`,
  ].join("\n");
}
