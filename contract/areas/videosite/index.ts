import * as z from "zod";
import { id, page, perPage, text } from "../../fields.ts";
import { area, operation } from "../../operation.ts";
import {
  videositeCaptionTrack,
  videositeChannel,
  videositeChannelId,
  videositeComment,
  videositeListedChannel,
  videositeListedPlaylist,
  videositeListedVideo,
  videositePlaylist,
  videositePlaylistVideo,
  videositePost,
  videositeTranscript,
  videositeTrendingVideo,
  videositeVideo,
} from "./records.ts";

const channelId = id(/^UC[A-Za-z0-9_-]{22}$/, "Channel", "`UC` and 22 letters, digits, `_` or `-`");
const videoId = id(/^[A-Za-z0-9_-]{11}$/, "Video", "11 letters, digits, `_` or `-`");
const playlistId = id(/^[A-Za-z0-9_-]{12,80}$/, "Playlist", "12 to 80 letters, digits, `_` or `-`");
const tag = id(
  /^[^\s#]{1,100}$/u,
  "Hashtag",
  "1 to 100 characters without spaces, with or without a leading `#`",
  (given) => given.replace(/^#/, ""),
);
const paging = page({ most: 50, default: 20 });
const query = text(1, 500, "Words to search for");
const country = z
  .string()
  .regex(/^[A-Za-z]{2}$/)
  .overwrite((code) => code.toUpperCase())
  .default("US")
  .describe("ISO 3166-1 alpha-2 code of the country to look from");

/** Billing of every list of this area: an array at one credit a row. */
const list = {
  paginated: true,
  records: perPage,
};
const one = { records: { kind: "one" as const } };

const example = {
  channel: "UCsampleChannel000000001",
  video: "sampleVid01",
  playlist: "PLsamplePlaylist00000001",
};

export const videosite = area({
  name: "videosite",
  summary: "Channels, videos, playlists, comments, transcripts, search and trends of a video site",
  pool: "social",
  operations: [
    operation({
      id: "videosite.channels.get",
      method: "GET",
      path: "/videosite/channels/{channel_id}",
      summary: "Profile of a channel",
      input: z.strictObject({ channel_id: channelId }),
      data: videositeChannel,
      ...one,
      example: { channel_id: example.channel },
    }),
    operation({
      id: "videosite.channels.community",
      method: "GET",
      path: "/videosite/channels/{channel_id}/community",
      summary: "Posts of a channel",
      input: z.strictObject({ channel_id: channelId, ...paging }),
      data: z.array(videositePost),
      ...list,
      example: { channel_id: example.channel, limit: 10 },
    }),
    operation({
      id: "videosite.channels.playlists",
      method: "GET",
      path: "/videosite/channels/{channel_id}/playlists",
      summary: "Playlists of a channel",
      input: z.strictObject({ channel_id: channelId, ...paging }),
      data: z.array(videositeListedPlaylist),
      ...list,
      example: { channel_id: example.channel, limit: 10 },
    }),
    operation({
      id: "videosite.channels.search",
      method: "GET",
      path: "/videosite/channels/{channel_id}/search",
      summary: "Videos of a channel for a query",
      input: z.strictObject({ channel_id: channelId, q: query, ...paging }),
      data: z.array(videositeListedVideo),
      ...list,
      example: { channel_id: example.channel, q: "lathe", limit: 10 },
    }),
    operation({
      id: "videosite.channels.shorts",
      method: "GET",
      path: "/videosite/channels/{channel_id}/shorts",
      summary: "Shorts of a channel, newest first",
      input: z.strictObject({ channel_id: channelId, ...paging }),
      data: z.array(videositeListedVideo),
      ...list,
      example: { channel_id: example.channel, limit: 10 },
    }),
    operation({
      id: "videosite.channels.videos",
      method: "GET",
      path: "/videosite/channels/{channel_id}/videos",
      summary: "Videos of a channel",
      input: z.strictObject({
        channel_id: channelId,
        sort: z.enum(["newest", "popular", "oldest"]).default("newest"),
        ...paging,
      }),
      data: z.array(videositeListedVideo),
      ...list,
      example: { channel_id: example.channel, limit: 10 },
    }),
    operation({
      id: "videosite.hashtags.videos",
      method: "GET",
      path: "/videosite/hashtags/{tag}/videos",
      summary: "Videos with a hashtag",
      input: z.strictObject({ tag, ...paging }),
      data: z.array(videositeListedVideo),
      ...list,
      example: { tag: "woodworking", limit: 10 },
    }),
    operation({
      id: "videosite.playlists.get",
      method: "GET",
      path: "/videosite/playlists/{playlist_id}",
      summary: "One playlist",
      input: z.strictObject({ playlist_id: playlistId }),
      data: videositePlaylist,
      ...one,
      example: { playlist_id: example.playlist },
    }),
    operation({
      id: "videosite.playlists.videos",
      method: "GET",
      path: "/videosite/playlists/{playlist_id}/videos",
      summary: "Videos of a playlist in its order",
      input: z.strictObject({ playlist_id: playlistId, ...paging }),
      data: z.array(videositePlaylistVideo),
      ...list,
      example: { playlist_id: example.playlist, limit: 10 },
    }),
    operation({
      id: "videosite.resolve.channel_id",
      method: "GET",
      path: "/videosite/resolve/channel-id",
      summary: "Channel id of a handle or an address",
      input: z.strictObject({
        url: text(
          1,
          500,
          "Address on the site with or without scheme, a path of it (`/c/name`, `/@name`), a handle, or a channel id",
        ),
      }),
      data: videositeChannelId,
      ...one,
      example: { url: "https://www.youtube.com/@samplechannel" },
    }),
    operation({
      id: "videosite.search",
      method: "GET",
      path: "/videosite/search",
      summary: "Videos for a query",
      input: z.strictObject({
        q: query,
        country,
        upload_date: z.enum(["today", "week", "month", "year"]).optional(),
        duration: z
          .enum(["short", "medium", "long"])
          .optional()
          .describe("Under 3 minutes, 3 to 20, over 20"),
        sort: z.enum(["relevance", "popularity"]).default("relevance"),
        ...paging,
      }),
      data: z.array(videositeListedVideo),
      ...list,
      example: { q: "hand tools", limit: 10 },
    }),
    operation({
      id: "videosite.search.channels",
      method: "GET",
      path: "/videosite/search/channels",
      summary: "Channels for a query",
      input: z.strictObject({ q: query, country, ...paging }),
      data: z.array(videositeListedChannel),
      ...list,
      example: { q: "woodworking", limit: 10 },
    }),
    operation({
      id: "videosite.search.playlists",
      method: "GET",
      path: "/videosite/search/playlists",
      summary: "Playlists for a query",
      input: z.strictObject({ q: query, country, ...paging }),
      data: z.array(videositeListedPlaylist),
      ...list,
      example: { q: "woodworking", limit: 10 },
    }),
    operation({
      id: "videosite.trending",
      method: "GET",
      path: "/videosite/trending",
      summary: "Trending videos of a country",
      description:
        "The site has no general list any more: `now` takes the best of gaming, music and movies in turn.",
      input: z.strictObject({
        country,
        section: z.enum(["now", "music", "gaming", "movies"]).default("now"),
        language_code: z
          .string()
          .regex(/^[a-z]{2,3}(-[A-Za-z0-9]{2,4})?$/, {
            message: "must be a code such as en or pt-BR",
          })
          .default("en")
          .describe("Language of titles; the counts of games are read in English only"),
        ...paging,
      }),
      data: z.array(videositeTrendingVideo),
      ...list,
      example: { country: "GB", limit: 10 },
    }),
    operation({
      id: "videosite.videos.get",
      method: "GET",
      path: "/videosite/videos/{video_id}",
      summary: "One video",
      input: z.strictObject({ video_id: videoId }),
      data: videositeVideo,
      ...one,
      example: { video_id: example.video },
    }),
    operation({
      id: "videosite.videos.captions",
      method: "GET",
      path: "/videosite/videos/{video_id}/captions",
      summary: "Caption tracks of a video; empty when there are none",
      input: z.strictObject({ video_id: videoId }),
      data: z.array(videositeCaptionTrack),
      // A video has a track for each language at most; this many are delivered.
      records: { kind: "list", rows: (data) => data, most: () => 200 },
      example: { video_id: example.video },
    }),
    operation({
      id: "videosite.videos.comments",
      method: "GET",
      path: "/videosite/videos/{video_id}/comments",
      summary: "Comments on a video, or the replies to one of them",
      input: z.strictObject({
        video_id: videoId,
        sort: z.enum(["top", "newest"]).default("top").describe("Order of the comments"),
        replies_cursor: z
          .string()
          .regex(/^[A-Za-z0-9_%=-]{1,2048}$/)
          .optional()
          .describe("`replies_cursor` of a comment on this video: lists its replies instead"),
        ...paging,
      }),
      data: z.array(videositeComment),
      ...list,
      example: { video_id: example.video, limit: 10 },
    }),
    operation({
      id: "videosite.videos.related",
      method: "GET",
      path: "/videosite/videos/{video_id}/related",
      summary: "Videos that the site shows beside a video",
      input: z.strictObject({ video_id: videoId, ...paging }),
      data: z.array(
        videositeListedVideo.omit({ description: true }).meta({ id: "VideositeRelatedVideo" }),
      ),
      ...list,
      example: { video_id: example.video, limit: 10 },
    }),
    operation({
      id: "videosite.videos.transcript",
      method: "GET",
      path: "/videosite/videos/{video_id}/transcript",
      summary: "Spoken text of a video from one of its caption tracks",
      input: z.strictObject({
        video_id: videoId,
        language: z
          .string()
          .regex(/^[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8}){0,4}$/)
          .optional()
          .describe("BCP 47; the first track that was not made by a machine when absent"),
      }),
      data: videositeTranscript,
      ...one,
      example: { video_id: example.video },
    }),
  ],
});
