import type { Operation } from "../../contract/operation.ts";
import { requestOf } from "../../contract/request.ts";

type Input = Readonly<Record<string, unknown>>;

/** Example calls of an operation; they read the key and the address from the environment. */
export interface Examples {
  curl: string;
  /** Uses the client of `client/`. */
  typescript: string;
  /** Uses Python's standard library. */
  python: string;
}

export function examplesOf(op: Operation): Examples {
  const input = op.example as Input;
  const { path, body } = requestOf(op, input);
  return { curl: curl(path, body), typescript: typescript(op, input), python: python(path, body) };
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
