import { monotonicNow } from "../runtime/monotonic.ts";
import type { Reservation, Reserved } from "../db/call-types.ts";
import { answerLimitMs } from "../db/client.ts";
import { isUnavailable } from "../db/retry.ts";
import type { Call, Services } from "./call.ts";
import { unavailable } from "./stores.ts";

/**
 * Reserves the credits of a call with a waiting caller. When no answer comes the call is refused. Its hold is then
 * released in the background, unless a retry with its key has joined the call.
 */
export async function reserveInTime(
  reservation: Reservation,
  call: Call,
  services: Services,
): Promise<Reserved> {
  const { calls } = services;
  const { admitBytes } = call.request;
  const inTime = { ...reservation, notAfter: monotonicNow() + answerLimitMs };
  try {
    return await acceptInTime((sent) => calls.reserve(sent, admitBytes), inTime);
  } catch (error) {
    if (isUnavailable(error)) void releaseUnanswered(inTime, call, services);
    throw error;
  }
}

/** A single late answer may only mean a new clock of the database, so sends the statement once more. */
export async function acceptInTime<Sent extends { notAfter: number }>(
  send: (sent: Sent) => Promise<Reserved>,
  sent: Sent,
): Promise<Reserved> {
  const reserved = await send(sent);
  return reserved.kind === "late" && monotonicNow() < sent.notAfter ? send(sent) : reserved;
}

/** Releases a hold that exists, or may come to exist until `notAfter`. */
async function releaseUnanswered(
  { requestId, deadline, idempotency, notAfter }: Reservation & { notAfter: number },
  { request }: Call,
  { calls, doubts }: Services,
): Promise<void> {
  const { status, type: errorType } = unavailable();
  const unlessJoined = idempotency !== undefined;
  const release = async () => {
    const now = monotonicNow();
    // The hold expires by itself from then on.
    if (now > deadline) return true;
    const durationMs = now - request.arrivedAt;
    return calls.release({ requestId, status, errorType, durationMs, unlessJoined });
  };
  await doubts.undo(release, notAfter, { request_id: requestId });
}
