import { queuePrefix } from "../../contract/job.ts";
import { steadyNow } from "../../contract/steady.ts";
import type { Background, Reservation, Reserved } from "../../db/calls.ts";
import { answerLimitMs } from "../../db/client.ts";
import type { Room } from "../../db/kept-bodies.ts";
import { isUnavailable } from "../../db/repeat.ts";
import type { Services } from "../call.ts";
import { bestEffort, unavailable } from "../stores.ts";

/** A job goes to the database, and its caller is told what becomes of it there. */

type Stores = Pick<Services, "calls" | "dispatcher" | "doubts" | "keptBytesLimit" | "log">;

/** A job that was refused, although it may be in the database: whoever finds it takes it back. */
const refusedKey = (requestId: string) => `${queuePrefix}:refused-job:${requestId}`;
/** Past its deadline, and the grace of it, a job is charged no more. */
const afterDeadlineMs = 10 * 60_000;

/**
 * Sets credits aside and notes the job. Where no answer comes the job is taken back, by this process or by
 * whoever takes over from it, before anybody carries it out.
 */
export async function handIn(
  call: Reservation & Background,
  services: Stores,
  room: Room | undefined,
): Promise<Reserved> {
  const notAfter = steadyNow() + answerLimitMs;
  const inTime = { ...call, mostKept: services.keptBytesLimit, notAfter };
  try {
    const reserved = await services.calls.accept(inTime, room);
    // Told once it may mean no more than that the clock of the database is a new one.
    const isEarly = reserved.kind === "late" && steadyNow() < notAfter;
    return isEarly ? await services.calls.accept(inTime, room) : reserved;
  } catch (error) {
    if (!isUnavailable(error)) throw error;
    if ((await takeBack(call, notAfter, services)) !== "kept") throw error;
    return kept(call, services, room);
  }
}

/** What became of it, where that is known before its caller has to be told. */
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
    const forMs = deadline - steadyNow() + afterDeadlineMs;
    return fate ?? (await redis.set(key, 1, "PX", Math.max(1, forMs)));
  }, about);
  const known = Promise.all([settled, noted]).then(async () => {
    if (fate === "kept") log("warn", "job without an answer is carried out", about);
    if (fate) await redis.del(key);
  });
  await bestEffort(known);
  return fate;
}

/** A twin was told of it meanwhile, or another process has charged it. */
async function kept(
  { accountId, mode, idempotency }: Reservation,
  { calls }: Stores,
  room: Room | undefined,
): Promise<Reserved> {
  const key = idempotency?.key;
  const replay =
    key === undefined ? undefined : await calls.lookUp({ accountId, mode, key }, { room });
  if (!replay) throw unavailable();
  return { kind: "taken", ...replay };
}

/** True where the caller of this job was refused, and it is gone. */
export async function wasRefused(
  { requestId, accountId, mode }: Pick<Reservation, "requestId" | "accountId" | "mode">,
  { calls, dispatcher }: Pick<Services, "calls" | "dispatcher">,
): Promise<boolean> {
  if ((await dispatcher.redis.exists(refusedKey(requestId))) === 0) return false;
  return (await calls.takeBack({ requestId, accountId, mode })) === "gone";
}
