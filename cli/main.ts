import { runCommand } from "./command.ts";

/** The command line: `npm run -s gateway -- …`. */

// A closed pipe (`… | head`) must not print a stack trace.
process.stdout.on("error", () => process.exit(1));
process.stderr.on("error", () => {});

await runCommand(process.argv.slice(2));
