import type { Reply, Upstream, Verdict } from "../../transport/upstream.ts";
import { busy, judgeByStatus, missing, unavailable } from "../../transport/verdicts.ts";
import { at, number, text } from "#wire";

/** Hosts of source code. Each has an optional token, which raises its limits. */

const shared = { silenceMs: 15_000, credentials: [] } satisfies Partial<Upstream>;

const membersOnly: Verdict = {
  ok: false,
  type: "upstream_error",
  message: "The host shows that to members only",
};
const tokenRefused: Verdict = { ...unavailable, operator: "credential refused" };

const githubShared = {
  ...shared,
  baseUrl: { env: "GITHUB_BASE_URL", default: "https://api.github.com" },
  authorize: ({ GITHUB_TOKEN: token }: Record<string, string>) => ({
    accept: "application/vnd.github+json",
    "x-github-api-version": "2022-11-28",
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
  }),
  judge: judgeGithub,
};

/**
 * 60 requests an hour without a token and 5,000 with one, at most 100 at once
 * (https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api).
 */
export const github: Upstream = {
  ...githubShared,
  name: "github",
  limits: { perSecond: 60 / 3600, burst: 60, simultaneous: 20 },
  optional: {
    credential: "GITHUB_TOKEN",
    limits: { perSecond: 5000 / 3600, burst: 500, simultaneous: 50 },
  },
};

/** Searches have limits of their own: 10 a minute, and 30 with a token. */
export const githubSearch: Upstream = {
  ...githubShared,
  name: "github-search",
  limits: { perSecond: 10 / 60, burst: 10 },
  optional: { credential: "GITHUB_TOKEN", limits: { perSecond: 30 / 60, burst: 30 } },
};

const burstSeconds = 60;

function judgeGithub(reply: Reply): Verdict {
  const { status, headers } = reply;
  if (status === 401) return tokenRefused;
  if (status === 403 || status === 429) {
    const isUsedUp = headers["x-ratelimit-remaining"] === "0" || "retry-after" in headers;
    if (isUsedUp) return busy(secondsToReset(headers));
    // A limit on bursts is named in the text alone, and asks for a minute.
    const isBurst = /\brate limit\b/i.test(text(at(reply.body, "message"))?.slice(0, 500) ?? "");
    return isBurst || status === 429 ? busy(burstSeconds) : membersOnly;
  }
  // 204 and 409: the repository is empty. 451: taken down.
  if (status === 204 || status === 409 || status === 451) return missing;
  if (status === 422) {
    return { ok: false, type: "validation_error", message: "The host does not accept this query" };
  }
  return judgeByStatus(reply);
}

function secondsToReset(headers: Reply["headers"]): number | undefined {
  const after = number(headers["retry-after"]);
  const reset = number(headers["x-ratelimit-reset"]);
  if (after !== undefined) return after;
  return reset === undefined ? undefined : Math.max(1, Math.ceil(reset - Date.now() / 1000));
}

const gitlabShared = {
  ...shared,
  baseUrl: { env: "GITLAB_BASE_URL", default: "https://gitlab.com/api/v4" },
  authorize: ({ GITLAB_TOKEN: token }: Record<string, string>): Record<string, string> =>
    token === undefined ? {} : { "private-token": token },
  judge: judgeMembers,
};

/**
 * 500 requests a minute from an address without a token, of which 300 for the projects of users
 * (https://docs.gitlab.com/user/gitlab_com/rate_limits/).
 */
export const gitlab: Upstream = {
  ...gitlabShared,
  name: "gitlab",
  limits: { perSecond: 5, burst: 20, simultaneous: 10 },
  optional: { credential: "GITLAB_TOKEN", limits: { perSecond: 5, burst: 50, simultaneous: 20 } },
};

/** The list of all projects: 400 requests in ten minutes without a token, and 2,000 with one. */
export const gitlabSearch: Upstream = {
  ...gitlabShared,
  name: "gitlab-search",
  limits: { perSecond: 400 / 600, burst: 10 },
  optional: { credential: "GITLAB_TOKEN", limits: { perSecond: 2000 / 600, burst: 20 } },
};

/** Codeberg runs Forgejo and publishes no limit, so the gateway keeps to two requests a second. */
export const codeberg: Upstream = {
  ...shared,
  name: "codeberg",
  baseUrl: { env: "CODEBERG_BASE_URL", default: "https://codeberg.org/api/v1" },
  authorize: ({ CODEBERG_TOKEN: token }): Record<string, string> =>
    token === undefined ? {} : { authorization: `token ${token}` },
  limits: { perSecond: 2, burst: 5, simultaneous: 2 },
  optional: { credential: "CODEBERG_TOKEN" },
  contact: {},
  judge: judgeMembers,
};

/** A project refuses what it has switched off or shows to members only; a refused token is named. */
function judgeMembers(reply: Reply): Verdict {
  if (text(at(reply.body, "error")) === "invalid_token") return tokenRefused;
  if (reply.status === 401 || reply.status === 403) return membersOnly;
  return judgeByStatus(reply);
}
