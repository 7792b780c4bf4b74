import { resealCredential, storedCredentials } from "../db/credentials.ts";
import {
  credentialsKeys,
  credentialsVariablesFrom,
  openStored,
  sealStored,
} from "../runtime/own-credentials.ts";
import { settingOf } from "../runtime/settings.ts";
import type { Output } from "./output.ts";
import { CliProblem } from "./problem.ts";
import { actor, type System, withDatabase } from "./system.ts";

const keyLength = 32;
const keyNames = ["CREDENTIALS_KEY", "CREDENTIALS_KEY_PREVIOUS"] as const;

/** The keys for the accounts' own credentials, the current one first. Throws CliProblem without one. */
export function keysOf({ keyPepper }: System): readonly [string, ...string[]] {
  const set = Object.fromEntries(keyNames.map((name) => [name, settingOf(process.env, name)]));
  const short = keyNames.find((name) => (set[name]?.length ?? keyLength) < keyLength);
  if (short !== undefined)
    throw new CliProblem(
      "setup",
      `${short} is shorter than ${keyLength} characters, so no API accepts it.`,
    );
  const derived = keyPepper === undefined ? {} : credentialsVariablesFrom(keyPepper, set);
  const [current, ...others] = credentialsKeys({ ...set, ...derived });
  if (current === undefined || (set.CREDENTIALS_KEY ?? derived.CREDENTIALS_KEY) === undefined)
    throw new CliProblem(
      "setup",
      "CREDENTIALS_KEY is not set: API, workers and this command need the same one.",
    );
  return [current, ...others];
}

/** Encrypts every stored credential under the current key that another one encrypted. */
export function rotate({ why }: { why?: string }): Promise<Output> {
  return withDatabase(async (db, system) => {
    const keys = keysOf(system);
    const counts = { encrypted_again: 0, already_current: 0, changed_meanwhile: 0 };
    const unreadable: { account: string; variables: string[] }[] = [];
    for (const row of await storedCredentials(db)) {
      const { account, accountId, names } = row;
      const opened = openStored(keys, accountId, names, row.sealed);
      if (!opened) unreadable.push({ account, variables: names.split("+") });
      else if (opened.at === 0) counts.already_current += 1;
      else {
        const again = sealStored(keys[0], accountId, names, opened.secrets);
        const isDone = await resealCredential(db, row, again, actor(why));
        counts[isDone ? "encrypted_again" : "changed_meanwhile"] += 1;
      }
    }
    const lost = unreadable.map(({ account, variables }) => `${account}: ${variables.join(", ")}`);
    return {
      json: { ok: lost.length === 0, ...counts, unreadable },
      text: [
        `${counts.encrypted_again} encrypted again, ${counts.already_current} under the current key before.`,
        ...(counts.changed_meanwhile > 0
          ? [`${counts.changed_meanwhile} changed meanwhile: run the command again.`]
          : []),
        ...(lost.length > 0
          ? [
              "Neither key decrypts these; set them again, or set CREDENTIALS_KEY_PREVIOUS:",
              ...lost,
            ]
          : []),
      ].join("\n"),
      failed: lost.length > 0,
    };
  });
}
