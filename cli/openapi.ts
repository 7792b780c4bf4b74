import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { openApi } from "../api/openapi/openapi.ts";
import { partsOf } from "../api/openapi/parts.ts";
import { areas } from "../contract/index.ts";

// Prints the OpenAPI document, or writes its parts into the folder given as argument.

const textOf = (value: object) => `${JSON.stringify(value, null, 2)}\n`;
const [folder] = process.argv.slice(2);
const document = openApi(areas);

if (folder === undefined) {
  // A closed pipe (`… | head`) must not print a stack trace.
  process.stdout.on("error", () => process.exit(1));
  process.stdout.write(textOf(document));
} else {
  for (const [name, part] of partsOf(document))
    writeFileSync(join(folder, `${name}.json`), textOf(part));
}
