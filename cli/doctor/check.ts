import { describe } from "../problem.ts";

/** One thing looked at. */
export interface Check {
  name: string;
  /** `warn`: works, but the operator should know. */
  verdict: "ok" | "warn" | "fail";
  /** What was seen and, unless all is well, what to do. */
  message: string;
}

export const ok = (name: string, message: string): Check => ({ name, verdict: "ok", message });
export const warn = (name: string, message: string): Check => ({ name, verdict: "warn", message });
export const fail = (name: string, message: string): Check => ({ name, verdict: "fail", message });

/** What a check throws is its result. */
export async function examined(name: string, check: () => Promise<Check[]>): Promise<Check[]> {
  try {
    return await check();
  } catch (error) {
    return [fail(name, describe(error).message)];
  }
}
