import type { IncomingMessage } from "node:http";
import { dryRunHeader, maxCreditsHeader } from "../contract/pricing.ts";
import { invalid } from "../contract/errors.ts";
import type { Mode } from "../contract/mode.ts";
import { type Scenario, isScenario, scenarios } from "../contract/scenario.ts";
import { webhookHeader } from "../contract/webhook.ts";
import { type OlderVersions, currentVersion } from "../contract/version.ts";

/** Counts the lines of a header; Node joins repeated ones into one text. */
export function countOf(request: IncomingMessage, name: string): number {
  const { rawHeaders } = request;
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    if ((rawHeaders[index] as string).toLowerCase() === name) count += 1;
  }
  return count;
}

function single(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name.toLowerCase()];
  if (value === undefined) return undefined;
  if (countOf(request, name.toLowerCase()) > 1) {
    throw invalid("header", name, "duplicate", `${name}: is sent more than once`);
  }
  return String(value).trim();
}

/** The version that the caller pins, or the current one. */
export function readVersion(request: IncomingMessage, older: OlderVersions): string {
  const requested = single(request, "Svc-Version");
  if (requested === undefined || requested === currentVersion || older.has(requested)) {
    return requested ?? currentVersion;
  }
  const known = [currentVersion, ...older.keys()].join(", ");
  const message = `Svc-Version: must be one of ${known}`;
  throw invalid("header", "Svc-Version", "unknown_version", message);
}

/** 1 to 255 printable ASCII characters; a quoted string is the same key as its unquoted content. */
export function readIdempotencyKey(request: IncomingMessage): string | undefined {
  const text = single(request, "Idempotency-Key");
  if (text === undefined) return undefined;
  const quoted = /^"((?:[^"\\]|\\["\\])*)"$/.exec(text)?.[1];
  const key = quoted === undefined ? text : quoted.replace(/\\(["\\])/g, "$1");
  if (/^[\x20-\x7e]{1,255}$/.test(key)) return key;
  const message = "Idempotency-Key: must be 1 to 255 printable ASCII characters";
  throw invalid("header", "Idempotency-Key", "invalid_format", message);
}

/** True when the caller requests the price only. */
export function readDryRun(request: IncomingMessage): boolean {
  const text = single(request, dryRunHeader);
  if (text === undefined || text === "false") return false;
  if (text === "true") return true;
  const message = `${dryRunHeader}: must be true or false`;
  throw invalid("header", dryRunHeader, "invalid_value", message);
}

/** The most credits that the caller lets a call cost. */
export function readMaxCredits(request: IncomingMessage): number | undefined {
  const text = single(request, maxCreditsHeader);
  if (text === undefined) return undefined;
  const credits = Number(text);
  if (/^\d{1,16}$/.test(text) && credits >= 1 && Number.isSafeInteger(credits)) return credits;
  const message = `${maxCreditsHeader}: must be a whole number of credits, from 1`;
  throw invalid("header", maxCreditsHeader, "invalid_value", message);
}

/** The names as sent; the operation validates them later. */
export function readFields(request: IncomingMessage): string | undefined {
  return single(request, "Svc-Fields");
}

/** The URL that receives the end of the caller's job; webhooks validate it later. */
export function readWebhookUrl(request: IncomingMessage): string | undefined {
  return single(request, webhookHeader);
}

/** Accepted with test keys only. */
export function readScenario(request: IncomingMessage, mode: Mode): Scenario | undefined {
  const name = "Svc-Test-Scenario";
  const text = single(request, name);
  if (text === undefined) return undefined;
  if (mode !== "test") {
    throw invalid("header", name, "test_key_required", `${name}: is accepted with a test key only`);
  }
  if (isScenario(text)) return text;
  throw invalid("header", name, "invalid_value", `${name}: must be one of ${scenarios.join(", ")}`);
}
