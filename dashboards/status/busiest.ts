import { accountAddress } from "../accounts/forms.ts";
import { addressOf } from "../calls/filter.ts";
import { escape, number, stacked } from "../frame.ts";
import type { StatusFacts } from "./facts.ts";

/** A caller's own mistakes fail too, so only an account whose live calls mostly fail is marked. */
const failedShare = 0.5;

function percent(share: number): string {
  return share < 0.01 ? "under 1 %" : `${Math.floor(share * 100)} %`;
}

/** The accounts with most calls of the last hour, each with links to its page and its calls. */
export function busiestAccounts(stored: StatusFacts["stored"]): string {
  if (typeof stored === "string") return "";
  const head = `<h2>Busiest accounts <span class="soft">of the last hour</span></h2>`;
  if (!stored.busiest) {
    return `${head}<p class="soft">Unknown: the database took too long to count them.</p>`;
  }
  if (stored.busiest.length === 0) return `${head}<p class="soft">No call ended.</p>`;
  const rows = stored.busiest.map(({ account, mode, calls, errors, credits }) => {
    const share = errors / calls;
    const list = { account, mode, hours: "1" };
    const failed = escape(addressOf({ ...list, status: "failed" }));
    const isBad = mode === "live" && share >= failedShare;
    return [
      `<a href="${escape(accountAddress(account))}">${escape(account)}</a>`,
      mode,
      `<a href="${escape(addressOf(list))}">${number(calls)}</a>`,
      errors === 0
        ? "none"
        : `${isBad ? "!" : ""}<a href="${failed}">${number(errors)}, ${percent(share)}</a>`,
      number(credits),
    ];
  });
  return `${head}${stacked(["Account", "Mode", "Calls", "Errors", "Credits"], rows)}
<p class="soft">Calls with a hold; requests refused before it are among the errors above.</p>`;
}
