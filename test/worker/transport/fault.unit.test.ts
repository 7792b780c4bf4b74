import { errors } from "undici";
import { describe, expect, test } from "vitest";
import { BodyTooLarge } from "../../../worker/transport/body.ts";
import { EgressError } from "../../../runtime/egress/rules.ts";
import { faultOf, refusalFault, serverFault } from "../../../worker/transport/fault.ts";

const coded = (code: string) => Object.assign(new Error("made up"), { code });

test("a server that a caller chose is the caller's fault, and no alert", () => {
  const of = (error: unknown) => serverFault(error, "instance", () => "query");
  const blocked = of(new EgressError("blocked", "x"));
  expect(blocked?.error).toMatchObject({
    type: "validation_error",
    issues: [{ in: "query", path: "instance", code: "destination_not_allowed" }],
  });
  const unknown = of(new EgressError("no_such_host", "x"));
  expect(unknown?.error).toMatchObject({ type: "upstream_error" });
  for (const fault of [blocked, unknown]) {
    expect(fault).toMatchObject({ retryable: false, unavailable: false });
    expect(fault).not.toHaveProperty("operator");
  }
  expect(of(coded("ECONNREFUSED"))).toBeUndefined();
});

describe("faultOf", () => {
  test.each([
    coded("ECONNREFUSED"),
    coded("ECONNRESET"),
    coded("UND_ERR_SOCKET"),
    coded("UND_ERR_CONNECT_TIMEOUT"),
    coded("EAI_AGAIN"),
    new AggregateError([coded("ENETUNREACH"), coded("ECONNREFUSED")]),
    new EgressError("lookup_failed", "x"),
  ])("a temporary fault is retried and counts against the breaker (%s)", (error) => {
    const fault = faultOf(error);
    expect(fault).toMatchObject({ retryable: true, retries: 2, unavailable: true });
    expect(fault.error).toMatchObject({ type: "upstream_unavailable", status: 503, retryAfter: 5 });
  });

  test.each([
    coded("ENOTFOUND"),
    coded("EAI_NONAME"),
    new EgressError("blocked", "x"),
    new EgressError("no_such_host", "x"),
  ])("an upstream that cannot be found or reached is not tried again (%s)", (error) => {
    const fault = faultOf(error);
    expect(fault).toMatchObject({ retryable: false, unavailable: false, operator: "address" });
    expect(fault.error).toMatchObject({
      type: "upstream_unavailable",
      status: 503,
      retryAfter: 30,
    });
    expect(fault.error.message).not.toContain("error");
  });

  test.each([
    coded("CERT_HAS_EXPIRED"),
    coded("DEPTH_ZERO_SELF_SIGNED_CERT"),
    coded("ERR_TLS_CERT_ALTNAME_INVALID"),
    coded("HPE_INVALID_CONSTANT"),
    coded("UND_ERR_HEADERS_OVERFLOW"),
    new BodyTooLarge("x"),
  ])("a definite fault is final (%s)", (error) => {
    const fault = faultOf(error);
    expect(fault).toMatchObject({ retryable: false, unavailable: false });
    expect(fault.error).toMatchObject({ type: "upstream_error", status: 502 });
  });

  /**
   * Every error that undici exports, and the caller's error. A missing class fails the test below.
   */
  const passing = "upstream_unavailable";
  const definite = "upstream_error";
  const bug = "bug";
  const undiciErrors: Record<string, typeof passing | typeof definite | typeof bug> = {
    AbortError: passing,
    BalancedPoolMissingUpstreamError: bug,
    BodyTimeoutError: passing,
    ClientClosedError: passing,
    ClientDestroyedError: passing,
    ConnectTimeoutError: passing,
    HTTPParserError: definite,
    HeadersOverflowError: definite,
    HeadersTimeoutError: passing,
    InformationalError: passing,
    InvalidArgumentError: bug,
    InvalidReturnValueError: bug,
    MaxOriginsReachedError: bug,
    MaxRedirectsError: definite,
    MessageSizeExceededError: definite,
    NotSupportedError: bug,
    ProxyConnectionError: passing,
    RequestAbortedError: passing,
    RequestContentLengthMismatchError: bug,
    RequestRetryError: passing,
    ResponseContentLengthMismatchError: definite,
    ResponseError: definite,
    ResponseExceededMaxSizeError: definite,
    SecureProxyConnectionError: definite,
    SocketError: passing,
    Socks5ProxyError: bug,
    UndiciError: bug,
    WebAssemblyNotSupportedError: bug,
  };

  test("every error of undici is classified", () => {
    const sorted = Object.entries(errors).map(([name, type]) => {
      const error: unknown = Reflect.construct(type, ["made up", undefined, {}]);
      try {
        return [name, faultOf(error).error.type];
      } catch (thrown) {
        expect(thrown).toBe(error);
        return [name, bug];
      }
    });
    expect(Object.fromEntries(sorted)).toEqual(undiciErrors);
  });

  test("a bug of the gateway stays a bug", () => {
    const bug = new TypeError("x is not a function");
    expect(() => faultOf(bug)).toThrow(bug);
  });
});

describe("refusalFault", () => {
  const answer = (status: number, headers = {}) => ({
    status,
    headers,
    bytes: Buffer.alloc(0),
    cut: false,
  });
  const refusal = { ok: false, type: "upstream_unavailable", message: "later" } as const;
  const place = () => "query" as const;

  test("takes the longest pause that the upstream named", () => {
    const hinted = answer(429, { "retry-after": "4" });
    expect(refusalFault(refusal, hinted, 0, place)).toMatchObject({
      hintMs: 4000,
      throttled: true,
    });
    const paused = refusalFault({ ...refusal, pauseMs: 9000, retryAfter: 20 }, hinted, 0, place);
    expect(paused.hintMs).toBe(9000);
    expect(paused.error.retryAfter).toBe(20);
    const reset = refusalFault({ ...refusal, retryAfter: 600 }, hinted, 0, place);
    expect(reset.hintMs).toBe(600_000);
    expect(reset.error.retryAfter).toBe(30);
  });

  test("Retry-After of an answer that is not about time is ignored", () => {
    const fault = refusalFault(refusal, answer(200, { "retry-after": "4" }), 0, place);
    expect(fault.hintMs).toBeUndefined();
    expect(fault).toMatchObject({ retryable: false, unavailable: false });
  });

  test("5xx counts against the breaker whatever the caller's error is; 400 and 404 do not", () => {
    const upstreamRefusal = { ...refusal, type: "upstream_error" } as const;
    const unavailable = (status: number) =>
      refusalFault(upstreamRefusal, answer(status), 0, place).unavailable;
    expect([500, 503, 429, 400, 404].map(unavailable)).toEqual([true, true, true, false, false]);
    expect(
      refusalFault({ ...upstreamRefusal, unavailable: true }, answer(200), 0, place).unavailable,
    ).toBe(true);
    expect(
      refusalFault({ ...upstreamRefusal, unavailable: false }, answer(503), 0, place).unavailable,
    ).toBe(false);
  });

  test("a fault that only the operator can fix is never retried and never the caller's", () => {
    const verdict = { ...refusal, type: "upstream_error", operator: "funds", retry: true } as const;
    const fault = refusalFault(verdict, answer(503), 0, place);
    expect(fault.retryable).toBe(false);
    expect(fault.error).toMatchObject({ type: "upstream_unavailable", retryAfter: 30 });
    expect(fault.error.message).not.toContain("later");
  });

  test("names the caller's own field", () => {
    const verdict = { ...refusal, type: "validation_error", field: "location" } as const;
    const { error } = refusalFault(verdict, answer(200), 0, place);
    expect(error).toMatchObject({
      type: "validation_error",
      status: 400,
      issues: [{ in: "query", path: "location", code: "refused", message: "later" }],
    });
  });
});
