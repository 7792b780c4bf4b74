import { budgetPeriods } from "../../contract/budget.ts";
import { usualAlertPercent } from "../../db/budgets.ts";
import { escape } from "../frame.ts";
import type { SentChange } from "./change.ts";
import type { AccountReading } from "./read.ts";

export const accountAddress = (name: string) => `/accounts/${encodeURIComponent(name)}`;

const why = (value = "") =>
  `<label>Why<input name="why" required maxlength="300" value="${escape(value)}"></label>`;

const number = (label: string, name: string, value: string, required = true) =>
  `<label>${label}<input name="${name}"${required ? " required" : ""} inputmode="numeric" pattern="[0-9]{1,13}" value="${escape(value)}"></label>`;

const select = (label: string, name: string, values: readonly string[], chosen: string) =>
  `<label>${label}<select name="${name}">${values
    .map((value) => `<option${value === chosen ? " selected" : ""}>${value}</option>`)
    .join("")}</select></label>`;

/** Forms of the account's own limits and budgets; a refused one keeps its values. */
function ownForms({ account }: AccountReading, sent: SentChange): string {
  const action = `method="post" action="${escape(accountAddress(account.name))}" class="card"`;
  const kept = (change: string, name: string, usual: string) => {
    const value = sent["change"] === change ? sent[name] : undefined;
    return typeof value === "string" ? value : usual;
  };
  const limit = (name: string, usual: string) => kept("limits", name, usual);
  const budget = (name: string, usual: string) => kept("budget", name, usual);
  return `<h2>Limits and budgets</h2><div class="forms"><form ${action}><b>Limits</b><input type="hidden" name="change" value="limits">
${number("Calls a second", "rate", limit("rate", String(account.ratePerSecond)))}
${number("Calls in flight", "in_flight", limit("in_flight", String(account.maxInFlight)))}
${select("State; the keys of a disabled account are refused", "state", ["open", "disabled"], limit("state", account.disabled ? "disabled" : "open"))}
${why(limit("why", ""))}<button>Change the limits</button></form>
<form ${action}><b>Budget of all keys</b><input type="hidden" name="change" value="budget">
${select("Mode", "mode", ["live", "test"], budget("mode", "live"))}
${select("Per", "period", budgetPeriods, budget("period", "month"))}
${number("Credits (empty: no budget)", "credits", budget("credits", ""), false)}
${number("Percent at which the account gets an event", "alert", budget("alert", String(usualAlertPercent)))}
${why(budget("why", ""))}<button>Set the budget</button></form></div>`;
}

/** Forms that limit or stop the account for some time. */
function decisions({ account, controls: rows }: AccountReading): string {
  const of = (
    effect: string,
  ) => `<input type="hidden" name="kind" value="account"><input type="hidden" name="target" value="${escape(account.name)}">
<input type="hidden" name="effect" value="${effect}"><input type="hidden" name="back" value="${escape(accountAddress(account.name))}">`;
  const minutes =
    '<label>Minutes (empty: until reverted)<input name="minutes" inputmode="numeric" pattern="[0-9]{1,6}"></label>';
  const isHeld = rows.some(({ kind }) => kind === "account");
  const end = isHeld
    ? `<form method="post" action="/controls" class="card"><b>End the decision in force</b>${of("none")}${why()}<button>End it</button></form>`
    : "";
  return `<h2 id="stop">Limit or stop it</h2><div class="forms">${end}
<form method="post" action="/controls" class="card"><b>Cap</b>${of("cap")}<label>Calls a minute<input name="per_minute" required inputmode="numeric" pattern="[0-9]{1,7}"></label>${minutes}${why()}<button>Cap it</button></form>
<form method="post" action="/controls" class="card"><b>Switch off</b>${of("off")}${minutes}${why()}<button>Switch it off</button></form></div>
<p class="soft">Callers get rate_limited with Retry-After within about a second; work in flight ends as usual. <code>gateway credits</code> and <code>gateway keys</code> change its credits and keys.</p>`;
}

export const accountForms = (reading: AccountReading, sent: SentChange): string =>
  decisions(reading) + ownForms(reading, sent);
