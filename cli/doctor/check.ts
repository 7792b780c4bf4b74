import { describe } from "../problem.ts";

/** The result of one check. */
export interface Check {
  name: string;
  /** `warn`: it works, but the operator should know. */
  verdict: "ok" | "warn" | "fail";
  /** The finding and, unless all is well, the remedy. */
  message: string;
}

export const ok = (name: string, message: string): Check => ({ name, verdict: "ok", message });
export const warn = (name: string, message: string): Check => ({ name, verdict: "warn", message });
export const fail = (name: string, message: string): Check => ({ name, verdict: "fail", message });

/** Runs a check; an error that it throws becomes a failed check. */
export async function examined(name: string, check: () => Promise<Check[]>): Promise<Check[]> {
  try {
    return await check();
  } catch (error) {
    return [fail(name, describe(error).message)];
  }
}
