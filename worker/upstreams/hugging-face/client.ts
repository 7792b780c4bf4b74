import type { Reply, Upstream, Verdict } from "../../transport/upstream.ts";
import { judgeByStatus, missing, shapeless, unavailable } from "../../transport/verdicts.ts";
import { at, text } from "#wire";

const shared = {
  silenceMs: 20_000,
  credentials: [],
  baseUrl: { env: "HUGGING_FACE_BASE_URL", default: "https://huggingface.co" },
  authorize: ({ HF_TOKEN: token }: Record<string, string>): Record<string, string> =>
    token === undefined ? {} : { authorization: `Bearer ${token}` },
} satisfies Partial<Upstream>;

/**
 * 500 requests of the interface in five minutes from an address, and 1,000 with the token of a free account
 * (https://huggingface.co/docs/hub/rate-limits).
 */
export const huggingFace: Upstream = {
  ...shared,
  name: "hugging-face",
  limits: { perSecond: 500 / 300, burst: 100 },
  optional: { credential: "HF_TOKEN", limits: { perSecond: 1000 / 300, burst: 200 } },
  judge,
};

/** Files: 3,000 requests in five minutes, and 5,000 with a token. */
export const huggingFaceFiles: Upstream = {
  ...shared,
  name: "hugging-face-files",
  limits: { perSecond: 3000 / 300, burst: 100 },
  optional: { credential: "HF_TOKEN", limits: { perSecond: 5000 / 300, burst: 200 } },
  judge(reply) {
    if (reply.status !== 200 || typeof reply.body !== "string") return judge(reply);
    // Files come as plain text; a page of the site itself is no file.
    return /^text\/html\b/i.test(reply.headers["content-type"] ?? "") ? shapeless : { ok: true };
  },
};

/** Without a token a name that does not exist is 401, so that nobody learns of private ones. */
function judge(reply: Reply): Verdict {
  const { status, headers, body } = reply;
  if (status !== 401 && status !== 403) return judgeByStatus(reply);
  if (headers["x-error-code"] === "GatedRepo") {
    return {
      ok: false,
      type: "upstream_error",
      message: "The source shows that to approved users only",
    };
  }
  if (/invalid (user )?(credentials|token|access token)/i.test(text(at(body, "error")) ?? "")) {
    return { ...unavailable, operator: "credential refused" };
  }
  return missing;
}
