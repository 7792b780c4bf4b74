import { expect, test } from "vitest";
import { contactParts, limitsOf } from "../../../worker/transport/contact.ts";
import type { Upstream } from "../../../worker/transport/upstream.ts";

const mail = "ops@example.com";
const upstreamWith = (contact?: Upstream["contact"]): Upstream => ({
  name: "made-up",
  baseUrl: { env: "MADE_UP_BASE_URL", default: "https://api.example" },
  credentials: [],
  judge: () => ({ ok: true }),
  ...(contact ? { contact } : {}),
});
const parts = (contact: Upstream["contact"], value?: string) =>
  contactParts(upstreamWith(contact), { CONTACT: value });

test("the contact stands in the user agent of sources that ask for one, and of no other", () => {
  const headers = { "user-agent": "public-data-gateway/1.0 (ops@example.com)" };
  expect(parts({}, ` ${mail} `)).toEqual({ headers, query: {} });
  expect(parts(undefined, mail)).toEqual({ headers: {}, query: {} });
});

test("a query parameter takes an e-mail address, and no web page", () => {
  expect(parts({ query: "mailto" }, mail)?.query).toEqual({ mailto: mail });
  expect(parts({ query: "mailto" }, "https://example.com/@ops")).toEqual({
    headers: { "user-agent": "public-data-gateway/1.0 (https://example.com/@ops)" },
    query: {},
  });
});

test("without a contact, sources that require one are not called", () => {
  expect(parts({}, "")).toEqual({ headers: {}, query: {} });
  expect(parts({ required: true }, "")).toBeUndefined();
  expect(parts({ required: true })).toBeUndefined();
  expect(parts({ required: true, query: "email" }, "https://example.com")).toBeUndefined();
});

test("limits are those of callers without a contact, where the source's rules name others", () => {
  const [limits, without] = [{ perSecond: 3 }, { perSecond: 1 }];
  const upstream = { ...upstreamWith({ without }), limits };
  expect(limitsOf(upstream, { CONTACT: mail })).toBe(limits);
  expect(limitsOf(upstream, { CONTACT: " " })).toBe(without);
  expect(limitsOf({ ...upstreamWith({}), limits }, {})).toBe(limits);
});

test("limits are those of an optional credential, where it is set", () => {
  const [limits, more] = [{ perSecond: 1 }, { perSecond: 9 }];
  const upstream = { ...upstreamWith(), limits, optional: { credential: "KEY", limits: more } };
  expect(limitsOf(upstream, {})).toBe(limits);
  expect(limitsOf(upstream, { KEY: " " })).toBe(limits);
  expect(limitsOf(upstream, { KEY: "k" })).toBe(more);
  expect(limitsOf(upstream, { KEY_FILE: "/run/key" })).toBe(more);
  expect(limitsOf({ ...upstream, optional: { credential: "KEY" } }, { KEY: "k" })).toBe(limits);
});
