import { budgetPeriods } from "../../contract/budget.ts";
import { type Account, changeAccount } from "../../db/accounts.ts";
import { setBudget, usualAlertPercent } from "../../db/budgets.ts";
import type { Actor } from "../../db/changes.ts";
import type { Database } from "../../db/client.ts";
import type { Mode } from "../../db/schema.ts";
import { actorOf } from "../form-actor.ts";

/** A form of an account's page, as sent. */
export type SentChange = Record<string, unknown>;

const mostCredits = 1_000_000_000_000;
export const mostRate = 1_000_000;
const modes: readonly Mode[] = ["live", "test"];

class Objection extends Error {}

function textOf(sent: SentChange, name: string): string {
  const value = sent[name];
  return typeof value === "string" || typeof value === "number" ? String(value).trim() : "";
}

function numberOf(sent: SentChange, name: string, label: string, least: number, most: number) {
  const text = textOf(sent, name);
  const value = Number(text);
  if (/^\d{1,13}$/.test(text) && value >= least && value <= most) return value;
  throw new Objection(
    `${label} must be a whole number from ${least} to ${most.toLocaleString("en-US")}`,
  );
}

function oneOf<Value extends string>(sent: SentChange, name: string, values: readonly Value[]) {
  const found = values.find((value) => value === textOf(sent, name));
  if (found !== undefined) return found;
  throw new Objection(`${name} must be one of ${values.join(", ")}`);
}

async function changeLimits(db: Database, { id }: Account, actor: Actor, sent: SentChange) {
  const change = {
    ratePerSecond: numberOf(sent, "rate", "Calls a second", 1, mostRate),
    maxInFlight: numberOf(sent, "in_flight", "Calls in flight", 1, mostRate),
    disabled: oneOf(sent, "state", ["open", "disabled"]) === "disabled",
  };
  await changeAccount(db, id, change, actor);
}

async function changeBudget(db: Database, account: Account, actor: Actor, sent: SentChange) {
  const isRemoved = textOf(sent, "credits") === "";
  const alert = textOf(sent, "alert");
  await setBudget(db, {
    accountId: account.id,
    mode: oneOf(sent, "mode", modes),
    period: oneOf(sent, "period", budgetPeriods),
    credits: isRemoved ? undefined : numberOf(sent, "credits", "Credits", 0, mostCredits),
    alertPercent:
      alert === "" ? usualAlertPercent : numberOf(sent, "alert", "The share of the alert", 1, 100),
    ...actor,
  });
}

/** Changes the limits or a budget of an account; returns the objection where the form is wrong. */
export async function changeFromPage(
  db: Database,
  account: Account,
  who: string,
  sent: SentChange,
): Promise<string | undefined> {
  const actor = actorOf(who, sent);
  if (typeof actor === "string") return actor;
  try {
    const act = oneOf(sent, "change", ["limits", "budget"]);
    await (act === "limits" ? changeLimits : changeBudget)(db, account, actor, sent);
    return undefined;
  } catch (error) {
    if (error instanceof Objection) return error.message;
    throw error;
  }
}
