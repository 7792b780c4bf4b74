import { GatewayError } from "../../contract/errors.ts";
import type { Call } from "../connector.ts";

/** What a request beside the main one came to. */
export type Aside<T> = { value: T } | { value?: undefined; error: GatewayError };

/** A request whose answer only adds fields: where it fails, they are missing and the record is not. */
export async function aside<T>(
  call: Pick<Call, "log" | "signal">,
  name: string,
  asking: Promise<T>,
): Promise<Aside<T>> {
  try {
    return { value: await asking };
  } catch (error) {
    call.signal.throwIfAborted();
    if (!(error instanceof GatewayError)) throw error;
    call.log("warn", "a side request failed", { name, error_type: error.type });
    return { error };
  }
}
