import { GatewayError } from "../../contract/errors.ts";
import type { Call } from "../connector.ts";

/** Result of a best-effort request. */
export type BestEffort<T> = { value: T } | { value?: undefined; error: GatewayError };

/** Best-effort request for additional fields: when it fails, only these fields are missing. */
export async function bestEffort<T>(
  call: Pick<Call, "log" | "signal">,
  name: string,
  request: Promise<T>,
): Promise<BestEffort<T>> {
  try {
    return { value: await request };
  } catch (error) {
    call.signal.throwIfAborted();
    if (!(error instanceof GatewayError)) throw error;
    call.log("warn", "a side request failed", { name, error_type: error.type });
    return { error };
  }
}
