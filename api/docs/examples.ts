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

/** A file inside an answer. */
interface AnsweredFile {
  /** Member of `data` with its bytes in base64. */
  member: string;
  name: string;
}

export function examplesOf(op: Operation): Examples {
  const input = op.example as Input;
  const { path, body } = requestOf(op, input);
  const file = fileIn(op, input);
  return {
    curl: curl(path, body, file),
    typescript: typescript(op, input, file),
    python: python(path, body, file),
  };
}

function fileIn(op: Operation, input: Input): AnsweredFile | undefined {
  const shape = (op.data as { shape?: Record<string, unknown> }).shape ?? {};
  const member = Object.keys(shape).find((name) => name.endsWith("_base64"));
  if (member === undefined) return undefined;
  const { format } = input;
  const ending = typeof format === "string" ? format.replace("jpeg", "jpg") : "png";
  return { member, name: `answer.${ending}` };
}

function curl(address: string, body: Input | undefined, file: AnsweredFile | undefined): string {
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
  if (!file) return lines.join(" \\\n");
  return [
    `${lines.join(" \\\n")} -o answer.json`,
    `sed 's/.*"${file.member}":"\\([^"]*\\)".*/\\1/' answer.json | base64 -d > ${file.name}`,
  ].join("\n");
}

function typescript(op: Operation, input: Input, file: AnsweredFile | undefined): string {
  const method = op.id.replace(/[_-](\w)/g, (_, letter: string) => letter.toUpperCase());
  const call = `gateway.${method}(${JSON.stringify(input)})`;
  return [
    ...(file ? [`import { writeFileSync } from "node:fs";`] : []),
    `import { Gateway } from "public-data-gateway-client";`,
    "",
    `const gateway = new Gateway({ key: process.env.GATEWAY_KEY!, baseUrl: process.env.GATEWAY_URL! });`,
    `const { data, billing } = await ${call};`,
    ...(file
      ? [`writeFileSync("${file.name}", Buffer.from(data.${file.member}, "base64"));`]
      : [`console.log(data, billing.credits_charged);`]),
  ].join("\n");
}

function python(address: string, body: Input | undefined, file: AnsweredFile | undefined): string {
  const more = body
    ? [
        `        "Content-Type": "application/json",`,
        `    },`,
        `    data=json.dumps(json.loads(r'''${JSON.stringify(body)}''')).encode(),`,
      ]
    : [`    },`];
  return [
    `import ${file ? "base64, " : ""}json, os, urllib.request`,
    "",
    "request = urllib.request.Request(",
    `    os.environ["GATEWAY_URL"] + ${JSON.stringify(address)},`,
    `    headers={`,
    `        "Authorization": "Bearer " + os.environ["GATEWAY_KEY"],`,
    ...more,
    ")",
    "with urllib.request.urlopen(request, timeout=90) as response:",
    "    answer = json.load(response)",
    ...(file
      ? [
          `with open("${file.name}", "wb") as file:`,
          `    file.write(base64.b64decode(answer["data"]["${file.member}"]))`,
        ]
      : [`print(answer["data"], answer["billing"]["credits_charged"])`]),
  ].join("\n");
}
