import { openApi } from "../api/openapi.ts";
import { areas } from "../contract/index.ts";

process.stdout.write(`${JSON.stringify(openApi(areas), null, 2)}\n`);
