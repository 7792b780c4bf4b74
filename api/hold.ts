import { monotonicNow } from "../runtime/monotonic.ts";
import type { Reservation, Reserved } from "../db/call-types.ts";
import { answerLimitMs } from "../db/client.ts";
import { isUnavailable } from "../db/retry.ts";
import type { Call, Services } from "./call.ts";
import { unavailable } from "./stores.ts";

/** The two clocks may differ by this much after `notAfter`, in milliseconds. */
const clocksMs = 1000;

/**
 * Reserves the credits of a call with a waiting caller. When no answer comes the call is refused. Its hold is then
 * released in the background, unless a retry with its key may join it.
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
    const isLeft = isUnavailable(error) && reservation.idempotency === undefined;
    if (isLeft) void releaseUnanswered(inTime, call, services);
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
  { requestId, deadline, notAfter }: Reservation & { notAfter: number },
  { request }: Call,
  { calls, doubts }: Services,
): Promise<void> {
  const { status, type: errorType } = unavailable();
  await doubts.retryUntilKnown(
    async () => {
      const sentAt = monotonicNow();
      // The hold expires by itself from then on.
      if (sentAt > deadline) return "expired";
      const durationMs = sentAt - request.arrivedAt;
      if (await calls.release({ requestId, status, errorType, durationMs })) return "released";
      return sentAt > notAfter + clocksMs ? "none" : undefined;
    },
    { request_id: requestId },
  );
}
