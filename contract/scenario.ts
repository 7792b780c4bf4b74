import { errorTypes, type ErrorType } from "./errors.ts";

/** Values of the request header Svc-Test-Scenario: outcomes that a test key can force. */
export const scenarios = [
  ...errorTypes,
  "empty",
  "truncated",
  "second_page",
  "slow",
] as const satisfies readonly string[];

export type Scenario = ErrorType | "empty" | "truncated" | "second_page" | "slow";

export function isScenario(value: string): value is Scenario {
  return (scenarios as readonly string[]).includes(value);
}
