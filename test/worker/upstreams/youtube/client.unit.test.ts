import { expect, test } from "vitest";
import { youtube, youtubeCharts } from "../../../../worker/upstreams/youtube/client.ts";

test.each([
  [200, {}, undefined],
  [200, { alerts: [{ alertRenderer: { type: "INFO" } }] }, undefined],
  [200, { alerts: [{ alertRenderer: { type: "ERROR" } }] }, "not_found"],
  [200, { playabilityStatus: { status: "ERROR" } }, "not_found"],
  [
    200,
    { playabilityStatus: { status: "LOGIN_REQUIRED", reason: "This video is private" } },
    "not_found",
  ],
  [
    200,
    {
      playabilityStatus: {
        status: "LOGIN_REQUIRED",
        reason: "Sign in to confirm you’re not a bot",
      },
    },
    "upstream_unavailable",
  ],
  [
    200,
    { playabilityStatus: { status: "LOGIN_REQUIRED", reason: "Sign in to confirm your age" } },
    undefined,
  ],
  [200, { playabilityStatus: { status: "LIVE_STREAM_OFFLINE" } }, undefined],
  [404, {}, "not_found"],
  [400, { error: { status: "INVALID_ARGUMENT" } }, "not_found"],
  [400, { error: { status: "FAILED_PRECONDITION" } }, "upstream_error"],
  [403, {}, "upstream_unavailable"],
  [429, {}, "upstream_unavailable"],
  [500, {}, "upstream_unavailable"],
])("videosite outcome %i %j", (status, body, type) => {
  const verdict = youtube.judge({ status, headers: {}, body });
  expect(verdict.ok ? undefined : verdict.type).toBe(type);
});

test("a country without charts is the caller's fault", () => {
  const verdict = youtubeCharts.judge({ status: 400, headers: {}, body: {} });
  expect(verdict).toMatchObject({ ok: false, type: "validation_error", field: "country" });
});
