import { expect, test } from "vitest";
import { asGatewayError } from "../../../api/edge/framework-errors.ts";
import { DatabaseError } from "../../../db/errors.ts";

test("a store that does not answer is 503 with a pause, and anything unknown is 500 without detail", () => {
  const away = new DatabaseError("unavailable", "The database did not answer in 2000 ms.");
  expect(asGatewayError(away)).toMatchObject({ type: "upstream_unavailable", retryAfter: 2 });
  expect(asGatewayError(new Error("Command timed out"))).toMatchObject({
    type: "upstream_unavailable",
  });
  const bug = asGatewayError(new TypeError("x is undefined"));
  expect(bug).toMatchObject({ type: "internal_error", message: "Internal error" });
});
