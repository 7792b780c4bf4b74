import { openApi } from "../api/openapi/openapi.ts";
import { areas } from "../contract/index.ts";

// A closed pipe (`… | head`) must not print a stack trace.
process.stdout.on("error", () => process.exit(1));
process.stdout.write(`${JSON.stringify(openApi(areas), null, 2)}\n`);
