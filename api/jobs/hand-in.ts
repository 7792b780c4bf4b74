import { queuePrefix } from "../../runtime/redis/keys.ts";
import { monotonicNow } from "../../runtime/monotonic.ts";
import type { Background, Reservation, Reserved } from "../../db/call-types.ts";
import { answerLimitMs } from "../../db/client.ts";
import { isUnavailable } from "../../db/retry.ts";
import type { AdmitBytes, Services } from "../call.ts";
import { acceptInTime } from "../hold.ts";
import { bestEffort, unavailable } from "../stores.ts";

/** Submits a job to the database, and decides its outcome when no answer comes. */

type Stores = Pick<Services, "calls" | "dispatcher" | "doubts" | "keptBytesLimit" | "log">;

/** Marks a refused job that may be in the database: the process that takes it over takes it back. */
const refusedKey = (requestId: string) => `${queuePrefix}:refused-job:${requestId}`;
/** A job cannot be charged after its deadline and grace, so the mark may expire then. */
const afterDeadlineMs = 10 * 60_000;

/**
 * Reserves credits and stores the job. When no answer comes, this process or the one that takes over from it
 * takes the job back before it runs.
 */
export async function handIn(
  call: Reservation & Background,
  services: Stores,
  admitBytes: AdmitBytes | undefined,
): Promise<Reserved> {
  const notAfter = monotonicNow() + answerLimitMs;
  const inTime = { ...call, mostKept: services.keptBytesLimit, notAfter };
  try {
    return await acceptInTime((sent) => services.calls.accept(sent, admitBytes), inTime);
  } catch (error) {
    if (!isUnavailable(error)) throw error;
    if ((await takeBack(call, notAfter, services)) !== "kept") throw error;
    return kept(call, services, admitBytes);
  }
}

/** Takes the job back; returns the outcome if it is known before the caller must be answered. */
async function takeBack(
  { requestId, accountId, mode, owner, deadline }: Reservation & Background,
  notAfter: number,
  { calls, dispatcher, doubts, log }: Stores,
): Promise<"gone" | "kept" | undefined> {
  const { redis } = dispatcher;
  const key = refusedKey(requestId);
  const about = { request_id: requestId };
  let fate: "gone" | "kept" | undefined;
  const settled = doubts.retryUntilKnown(async () => {
    const found = await calls.takeBack({ requestId, accountId, mode, notAfter, owner });
    if (found !== "open") fate = found;
    return fate;
  }, about);
  const noted = doubts.retryUntilKnown(async () => {
    const forMs = deadline - monotonicNow() + afterDeadlineMs;
    return fate ?? (await redis.set(key, 1, "PX", Math.max(1, forMs)));
  }, about);
  const known = Promise.all([settled, noted]).then(async () => {
    if (fate === "kept") log("warn", "job without an answer is carried out", about);
    if (fate) await redis.del(key);
  });
  await bestEffort(known);
  return fate;
}

/** A concurrent retry has received the job meanwhile, or another process has charged it. */
async function kept(
  { accountId, mode, idempotency }: Reservation,
  { calls }: Stores,
  admitBytes: AdmitBytes | undefined,
): Promise<Reserved> {
  const key = idempotency?.key;
  const replay =
    key === undefined
      ? undefined
      : await calls.lookUp({ accountId, mode, key }, { room: admitBytes });
  if (!replay) throw unavailable();
  return { kind: "taken", ...replay };
}

/** True when the job's caller was refused and the job is removed. */
export async function wasRefused(
  { requestId, accountId, mode }: Pick<Reservation, "requestId" | "accountId" | "mode">,
  { calls, dispatcher }: Pick<Services, "calls" | "dispatcher">,
): Promise<boolean> {
  if ((await dispatcher.redis.exists(refusedKey(requestId))) === 0) return false;
  return (await calls.takeBack({ requestId, accountId, mode })) === "gone";
}
