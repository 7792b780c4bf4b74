import type { Command } from "commander";
import { translated } from "../db/errors.ts";
import { migrate } from "../db/migrate.ts";
import { addCommand } from "./arguments.ts";
import type { Output, Print } from "./output.ts";
import { findSystem } from "./system.ts";

async function bringUpToDate(): Promise<Output> {
  const { databaseUrl } = findSystem();
  try {
    let warning: string | undefined;
    const applied = await migrate(databaseUrl, (text) => (warning = text));
    const done =
      applied.length === 0
        ? "The database is up to date."
        : applied.map((name) => `applied ${name}`).join("\n");
    return { json: { applied, warning }, text: warning ?? done };
  } catch (error) {
    throw translated(error);
  }
}

/** `gateway migrate` */
export function addMigrate(program: Command, print: Print): void {
  addCommand(program, "migrate", "migrate the database to the current schema").action(async () =>
    print(await bringUpToDate()),
  );
}
