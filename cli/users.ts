import { randomBytes } from "node:crypto";
import { text } from "node:stream/consumers";
import { InvalidArgumentError, Option } from "commander";
import type { Command } from "commander";
import { type Role, hashPassword, userName } from "../dashboards/users.ts";
import { addCommand } from "./arguments.ts";
import type { Output, Print } from "./output.ts";
import { CliProblem } from "./problem.ts";

const leastLength = 8;

function nameOf(value: string): string {
  if (userName.test(value)) return value;
  throw new InvalidArgumentError("It must be 1 to 100 characters without spaces and colons.");
}

async function read(): Promise<string> {
  const password = (await text(process.stdin)).replace(/\r?\n$/, "");
  if (password.length >= leastLength) return password;
  throw new CliProblem("usage", `A password has at least ${leastLength} characters.`);
}

async function hash(user: string, { role, stdin }: { role: Role; stdin?: true }): Promise<Output> {
  const password = stdin ? await read() : randomBytes(18).toString("base64url");
  const entry = `${user}:${role}:${await hashPassword(password)}`;
  const json = { user, role, entry, ...(stdin ? {} : { password }) };
  const shown = stdin ? entry : `${entry}\nPassword, not shown again: ${password}`;
  return { json, text: shown };
}

/** `gateway users …` */
export function addUsers(program: Command, print: Print): void {
  const users = program.command("users").description("users of the dashboards");
  addCommand(users, "hash", "print the entry of a user for DASHBOARDS_USERS, with a new password")
    .argument("<name>", "name of the user", nameOf)
    .addOption(
      new Option("--role <role>", "what they may do")
        .choices(["operator", "viewer"] satisfies Role[])
        .makeOptionMandatory(),
    )
    .option("--stdin", "read the password from standard input")
    .action(async (user: string, options: { role: Role; stdin?: true }) =>
      print(await hash(user, options)),
    );
}
