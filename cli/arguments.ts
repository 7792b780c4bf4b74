import { InvalidArgumentError, Option } from "commander";
import type { Command } from "commander";
import type { Mode } from "../db/schema.ts";
import { CliProblem } from "./problem.ts";

export const mostCredits = 1_000_000_000_000;

/** Parses a whole number; commander adds the name of the argument to the error. */
export function wholeNumber(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^-?\d{1,15}$/.test(text) || value < least || value > most)
      throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`);
    return value;
  };
}

/** Whether a text is the URL of a server. */
export const isHttpUrl = (text: string): boolean =>
  /^https?:$/.test(URL.parse(text)?.protocol ?? "");

/** Parses the URL of a server; an empty one counts as absent, as a process has it of every variable. */
export function httpUrl(text: string, before: string): string {
  if (text === "") return before;
  if (!isHttpUrl(text))
    throw new InvalidArgumentError("It must be a URL such as https://gateway.example.");
  return text;
}

/** Any whole number but zero. */
export function signedCredits(text: string): number {
  const value = wholeNumber(-mostCredits, mostCredits)(text);
  if (value === 0) throw new InvalidArgumentError("It must not be 0.");
  return value;
}

export function hours(text: string): number {
  const value = Number(text);
  if (!/^\d{1,4}(\.\d{1,3})?$/.test(text) || value > 8760)
    throw new InvalidArgumentError("It must be a number of hours from 0 to 8760.");
  return value;
}

export function accountName(text: string): string {
  if (!/^[^\p{C}\s](?:[^\p{C}]{0,98}[^\p{C}\s])?$/u.test(text))
    throw new InvalidArgumentError(
      "It must be 1 to 100 printable characters without spaces at either end.",
    );
  return text;
}

/** Public id of a key. */
export function keyId(text: string): string {
  if (/^[0-9A-Za-z]{8}$/.test(text)) return text;
  // commander's own message would repeat the secret.
  if (text.startsWith("svc_"))
    throw new CliProblem("usage", "<id> is only the 8 characters after the mode, not a whole key.");
  throw new InvalidArgumentError("It must be the 8 characters that `keys list` shows.");
}

/** The start of a calendar day in UTC. */
export function day(text: string): Date {
  const date = new Date(`${text}T00:00:00Z`);
  if (
    !/^\d{4}-\d\d-\d\d$/.test(text) ||
    Number.isNaN(date.getTime()) ||
    date.toISOString().slice(0, 10) !== text
  )
    throw new InvalidArgumentError("It must be a day such as 2026-07-01.");
  return date;
}

const accountFlags = ["--account <name>", "name of the account"] as const;

export const requiredAccount = (): Option =>
  new Option(...accountFlags).argParser(accountName).makeOptionMandatory();

export const modeOption = (): Option =>
  new Option("--mode <mode>", "live or test credits").choices(["live", "test"] satisfies Mode[]);

export const requiredMode = (): Option => modeOption().makeOptionMandatory();

export const whyOption = (): Option =>
  new Option("--why <text>", "the reason, for the log of changes").argParser((text: string) => {
    if (text.trim() !== "" && text.length <= 300) return text.trim();
    throw new InvalidArgumentError("It must be 1 to 300 characters.");
  });

/** Adds a subcommand with `--json` to `parent`. */
export const addCommand = (parent: Command, form: string, summary: string): Command =>
  parent
    .command(form)
    .description(summary)
    .option("--json", "print one JSON document instead of a table");
