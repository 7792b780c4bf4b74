import { scenarios } from "../contract/scenario.ts";
import { currentVersion } from "../contract/version.ts";

type Json = { [key: string]: unknown };

const text = (description: string, more: Json = {}) => ({
  description,
  schema: { type: "string", ...more },
});

/** Headers of answers. */
export const responseHeaders: Json = {
  "Svc-Version": text("The served version", { const: currentVersion }),
  "Svc-Request-Id": text("Id of the call; equals request_id in the body"),
  "Svc-Mode": text("`test` where a test key called", { const: "test" }),
  Deprecation: text("Since when the served version is deprecated, as @ and unix seconds"),
  Sunset: text("When the served version ends, as an HTTP date"),
  "Idempotency-Replayed": text("`true` when an earlier response is replayed", { const: "true" }),
  RateLimit: text("What the key's rate still allows, and seconds until more"),
  "RateLimit-Policy": text("The key's limits: calls a second, calls at once"),
  "Retry-After": {
    description: "Seconds until a retry makes sense",
    schema: { type: "integer", minimum: 1 },
  },
};

/** Headers of requests, as parameters. */
export const requestHeaders: Json = {
  "Svc-Version": {
    name: "Svc-Version",
    in: "header",
    ...text("Pins the version of the contract", { enum: [currentVersion] }),
  },
  "Idempotency-Key": {
    name: "Idempotency-Key",
    in: "header",
    ...text("A retry with the same key within 24 hours gets the first answer again, uncharged", {
      minLength: 1,
      maxLength: 255,
    }),
  },
  "Svc-Webhook-Url": {
    name: "Svc-Webhook-Url",
    in: "header",
    ...text("With `Prefer: respond-async`: an https URL that is sent `job.ended`", {
      format: "uri",
      maxLength: 2048,
    }),
  },
  "Svc-Test-Scenario": {
    name: "Svc-Test-Scenario",
    in: "header",
    ...text("With a test key only: forces what is hard to meet", { enum: [...scenarios] }),
  },
};
