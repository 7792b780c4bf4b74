import { Webhook } from "standardwebhooks";
import { expect, test } from "vitest";
import { WebhookError, verifyWebhook } from "../../client/src/webhooks.ts";

const secret = `whsec_${Buffer.from("a secret of twenty-four b").toString("base64")}`;
const other = `whsec_${Buffer.from("another one of twenty-four").toString("base64")}`;
const body = JSON.stringify({ type: "job.ended", data: { request_id: "svc_1", text: "ü €" } });
const now = 1_790_000_000;

function signed(by: string, at = now): Record<string, string> {
  const signature = new Webhook(by).sign("evt_1", new Date(at * 1000), body);
  return {
    "webhook-id": "evt_1",
    "webhook-timestamp": String(at),
    "webhook-signature": signature,
  };
}

test("signatures of the official library verify, as text, as bytes, from Headers", async () => {
  const event = JSON.parse(body) as unknown;
  expect(await verifyWebhook(body, signed(secret), secret, now)).toEqual(event);
  const bytes = new TextEncoder().encode(body);
  expect(await verifyWebhook(bytes, new Headers(signed(secret)), secret, now)).toEqual(event);
});

test("while a secret is replaced either signs, and either is accepted", async () => {
  const both = `${signed(other)["webhook-signature"]} ${signed(secret)["webhook-signature"]}`;
  const headers = { ...signed(secret), "webhook-signature": both };
  await expect(verifyWebhook(body, headers, secret, now)).resolves.toBeDefined();
  await expect(verifyWebhook(body, signed(other), [secret, other], now)).resolves.toBeDefined();
});

test.for([
  ["another body", `${body} `, signed(secret), now],
  ["another secret", body, signed(other), now],
  ["a time long ago", body, signed(secret, now - 301), now],
  ["a time to come", body, signed(secret, now + 301), now],
  ["a changed id", body, { ...signed(secret), "webhook-id": "evt_2" }, now],
  ["a version that is not known", body, { ...signed(secret), "webhook-signature": "v2,abc" }, now],
  ["no signature", body, { "webhook-id": "evt_1", "webhook-timestamp": String(now) }, now],
  ["no base64", body, { ...signed(secret), "webhook-signature": "v1,§" }, now],
] as const)("%s is refused", async ([, text, headers, at]) => {
  await expect(verifyWebhook(text, headers, secret, at)).rejects.toBeInstanceOf(WebhookError);
});
