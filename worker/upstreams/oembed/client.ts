import type { Reply, Upstream, Verdict } from "../../transport/upstream.ts";
import { judgeByStatus, missing } from "../../transport/verdicts.ts";

/**
 * oEmbed services of video sites (https://oembed.com). None of them publishes a limit for it, so each gets two
 * requests a second.
 */
const rules = {
  silenceMs: 15_000,
  credentials: [],
  limits: { perSecond: 2, burst: 4 },
  contact: {},
  judge,
} satisfies Partial<Upstream>;

export const youtubeOembed: Upstream = {
  name: "youtube-oembed",
  baseUrl: { env: "YOUTUBE_BASE_URL", default: "https://www.youtube.com" },
  ...rules,
  judge: judgeStrict,
};

export const vimeoOembed: Upstream = {
  name: "vimeo-oembed",
  baseUrl: { env: "VIMEO_BASE_URL", default: "https://vimeo.com" },
  ...rules,
  judge: judgeVimeo,
};

/** Since 2026 it requires the id of a player, which belongs to an account (https://developers.dailymotion.com/docs/embed-with-oembed). */
export const dailymotionOembed: Upstream = {
  name: "dailymotion-oembed",
  baseUrl: { env: "DAILYMOTION_BASE_URL", default: "https://www.dailymotion.com" },
  ...rules,
  credentials: ["DAILYMOTION_PLAYER_ID"],
  credentialQuery: { player: "DAILYMOTION_PLAYER_ID" },
};

export const tiktokOembed: Upstream = {
  name: "tiktok-oembed",
  baseUrl: { env: "TIKTOK_BASE_URL", default: "https://www.tiktok.com" },
  ...rules,
  judge: judgeStrict,
};

/** By the specification 401 is a page that is not public, whatever the credentials. */
function judge(reply: Reply): Verdict {
  return reply.status === 401 ? missing : judgeByStatus(reply);
}

/** Vimeo answers 403 for a video that may not be embedded elsewhere. */
function judgeVimeo(reply: Reply): Verdict {
  return reply.status === 403 ? missing : judge(reply);
}

/** YouTube answers 400 for an address without a video's id, TikTok for every video that it does not show. */
function judgeStrict(reply: Reply): Verdict {
  return reply.status === 400 ? missing : judge(reply);
}
