import {
  type DryRunData,
  type Price,
  dryRunHeader,
  neededFor,
  priceInWords,
  priceOf,
} from "../contract/pricing.ts";
import type { Operation } from "../contract/operation.ts";
import { leftOf } from "../db/budgets.ts";
import type { Caller } from "./auth.ts";
import { budgetView } from "./admission/budgets.ts";
import type { Request, Response, Services } from "./call.ts";
import { closeBody, openBody, unchanged } from "./envelope.ts";
import { retryStore } from "./stores.ts";
import { parseCall } from "./parse-call.ts";

/** Validates a call and computes its price; runs nothing. */
export async function dryRun(
  op: Operation,
  request: Request,
  services: Services,
): Promise<Response> {
  request.timeline?.enter("validate");
  const call = parseCall(
    op,
    request,
    services.cursorSecret,
    services.dispatcher.storeTime(request.arrivedAt),
  );
  const { maxCredits, caller, requestId } = request;
  const capped =
    maxCredits === undefined ? "" : `; Svc-Max-Credits lets it cost ${maxCredits} at most`;
  return priced(services, caller, requestId, {
    price: priceOf(op, call.most),
    needed: neededFor(op),
    why: `${priceInWords(op, call.most)}${capped}`,
  });
}

/** Renders a price, and whether the balance and budgets cover it. */
export async function priced(
  services: Pick<Services, "budgets">,
  caller: Caller,
  requestId: string,
  { price, needed, why }: { price: Price; needed: number; why: string },
): Promise<Response> {
  const standing = await retryStore(() => services.budgets.standing(caller));
  const by = Math.max(0, Math.min(standing.available, ...standing.budgets.map(leftOf)));
  const data: DryRunData = {
    dry_run: true,
    credits: { least: price.least, most: price.most },
    why,
    covered: { least: by >= needed, most: by >= Math.max(price.most, needed), by },
    budgets: standing.budgets.map(budgetView),
  };
  const open = openBody(requestId, Buffer.from(JSON.stringify(data)), undefined);
  return {
    status: 200,
    requestId,
    body: closeBody(open, unchanged(standing.available)),
    headers: { [dryRunHeader.toLowerCase()]: "true" },
  };
}
