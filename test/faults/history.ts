/** The clients' view against the books: pure, so that the checker itself can be tested. */

/** The result of one request: "unknown" when the connection died or the caller left. */
export interface Attempt {
  account: number;
  key?: string;
  status: number | "unknown";
  requestId?: string;
  text?: string;
  charged?: number;
  records?: number;
  delivered?: number;
  remaining?: number;
}

export interface BookedCall {
  requestId: string;
  account: number;
  key: string | null;
  state: "open" | "settled" | "void";
  /** Credits taken for this call, from the account's side of the ledger. */
  taken: number;
  /** Undefined where nothing was settled. */
  settled?: { credits: number; records: number; available: number };
  /** Credits in the usage row, undefined without one. */
  used?: number;
}

export interface TopUps {
  account: number;
  /** Credits whose booking was confirmed, and credits whose booking may have happened. */
  sure: number;
  unsure: number;
  booked: number;
}

/** All contradictions between the history and the books. Empty when they agree. */
export function contradictions(
  attempts: readonly Attempt[],
  books: readonly BookedCall[],
  topUps: readonly TopUps[],
): string[] {
  const found: string[] = [];
  const booked = new Map(books.map((call) => [call.requestId, call]));
  const reported = new Set<string>();
  const answers = new Map<string, { id: string; text: string }>();
  const unknown = new Map<number, number>();

  for (const one of attempts) {
    const { account, key, requestId = "" } = one;
    if (one.status === "unknown") {
      if (key === undefined) unknown.set(account, (unknown.get(account) ?? 0) + 1);
      continue;
    }
    const call = booked.get(requestId);
    if (one.status === 200) {
      found.push(...ofSuccess(one, call));
      reported.add(requestId);
    } else if ((call?.taken ?? 0) !== 0 || (call?.settled?.credits ?? 0) !== 0) {
      found.push(`${requestId}: answered ${one.status} and charged ${call?.taken}`);
    } else reported.add(requestId);
    if (key === undefined || (one.status !== 200 && one.status !== 404)) continue;
    const before = answers.get(`${account}/${key}`);
    answers.set(`${account}/${key}`, { id: requestId, text: one.text ?? "" });
    if (before && before.text !== one.text) {
      found.push(`key ${key}: answered as ${before.id} and as ${requestId}`);
    }
  }

  const charges = new Map<string, number>();
  for (const call of books) {
    if (call.state === "open") found.push(`${call.requestId}: still held`);
    if (call.state !== "settled" && call.taken !== 0) {
      found.push(`${call.requestId}: ${call.state} and charged ${call.taken}`);
    }
    if (call.settled && call.settled.available < 0) {
      found.push(`${call.requestId}: left ${call.settled.available}`);
    }
    if (call.key !== null && call.taken !== 0) {
      const owner = `${call.account}/${call.key}`;
      charges.set(owner, (charges.get(owner) ?? 0) + 1);
    }
    if (call.taken === 0 || reported.has(call.requestId)) continue;
    // Only a call whose caller never got an answer may be charged without a report.
    const left = call.key === null ? (unknown.get(call.account) ?? 0) : 0;
    if (left === 0) found.push(`${call.requestId}: charged ${call.taken} for no call`);
    else unknown.set(call.account, left - 1);
  }
  for (const [owner, count] of charges) {
    if (count > 1) found.push(`key ${owner}: charged ${count} times`);
  }
  for (const { account, sure, unsure, booked: sum } of topUps) {
    if (sum < sure || sum > sure + unsure) {
      found.push(`account ${account}: topped up ${sure} to ${sure + unsure}, booked ${sum}`);
    }
  }
  return found;
}

function ofSuccess(one: Attempt, call: BookedCall | undefined): string[] {
  const { requestId = "", charged } = one;
  if (!call?.settled) return [`${requestId}: answered 200 and never settled`];
  const { credits, records, available } = call.settled;
  const wrong = [
    call.account !== one.account && `booked on account ${call.account}`,
    call.key !== (one.key ?? null) && `booked under the key ${call.key}`,
    charged !== credits && `answered ${charged}, settled ${credits}`,
    charged !== call.taken && `answered ${charged}, took ${call.taken}`,
    charged !== call.used && `answered ${charged}, usage ${call.used}`,
    one.records !== records && `answered ${one.records} records, settled ${records}`,
    one.records !== one.delivered && `billed ${one.records} records, delivered ${one.delivered}`,
    one.remaining !== available && `answered ${one.remaining} left, booked ${available}`,
    (one.remaining ?? 0) < 0 && `answered ${one.remaining} left`,
  ];
  return wrong.filter((text) => text !== false).map((text) => `${requestId}: ${text}`);
}
