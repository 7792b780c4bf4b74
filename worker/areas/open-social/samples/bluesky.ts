import type { SampleRequest, Samples } from "../../../sandbox/sample.ts";
import { listed, moment, number, totalOf, word } from "./rows.ts";

/** Sample answers of Bluesky, written for this project. */

const cdn = "https://cdn.example";

function actor(name: string) {
  return {
    did: `did:plc:${name.replace(/\W/g, "")}${number(10, 99, name)}`,
    handle: `${name}.bsky.social`,
    displayName: `${word(name)} ${name}`,
    avatar: `${cdn}/avatar/${name}`,
    verification: { verifications: [], verifiedStatus: "valid", trustedVerifierStatus: "none" },
    labels: [],
    createdAt: moment(number(1, 900, name)),
  };
}

const named = (name: string) => ({ ...actor(name), description: `Writes about ${word(name, 2)}` });

const handle = (given: unknown) => String(given).replace(".bsky.social", "").replace(/\W/g, "-");

const ratio = { aspectRatio: { width: 1600, height: 900 } };

/** Kinds of embeds take turns. */
function embed(index: number) {
  const images = {
    $type: "app.bsky.embed.images#view",
    images: [
      {
        thumb: `${cdn}/thumb/${index}`,
        fullsize: `${cdn}/full/${index}`,
        alt: `A ${word(index, "alt")}`,
        ...ratio,
      },
    ],
  };
  const quoted = {
    $type: "app.bsky.embed.record#viewRecord",
    uri: `at://did:plc:quoted/app.bsky.feed.post/3kq${index}`,
  };
  switch (index % 4) {
    case 0:
      return {
        $type: "app.bsky.embed.recordWithMedia#view",
        media: images,
        record: { record: quoted },
      };
    case 1:
      return {
        $type: "app.bsky.embed.external#view",
        external: {
          uri: `https://${word(index)}.example/${index}`,
          title: `The ${word(index, "title")}`,
          description: `About ${word(index, "page")}`,
          thumb: `${cdn}/card/${index}`,
        },
      };
    case 2:
      return {
        $type: "app.bsky.embed.video#view",
        cid: `bafy${index}`,
        playlist: `${cdn}/video/${index}.m3u8`,
        thumbnail: `${cdn}/video/${index}.jpg`,
        alt: `A film of ${word(index, "film")}`,
        ...ratio,
      };
    default:
      return { $type: "app.bsky.embed.record#view", record: quoted };
  }
}

const feature = (kind: string, value: object) => ({
  index: { byteStart: 0, byteEnd: 4 },
  features: [{ $type: `app.bsky.richtext.facet#${kind}`, ...value }],
});

function post(index: number, uri = `at://did:plc:sample7/app.bsky.feed.post/3k${1000 + index}`) {
  const parent = { uri: `at://did:plc:parent/app.bsky.feed.post/3kp${index}`, cid: "bafyp" };
  return {
    uri,
    cid: `bafy${index}`,
    author: actor("sample"),
    record: {
      $type: "app.bsky.feed.post",
      text: `The ${word(uri)} of the ${word(uri, 2)} #${word(uri, 3)}`,
      createdAt: moment(index),
      langs: ["en"],
      reply: { root: parent, parent },
      facets: [
        feature("tag", { tag: word(uri, 3) }),
        feature("mention", { did: `did:plc:m${index}` }),
      ],
    },
    embed: embed(index),
    replyCount: number(1, 90, uri, "replies"),
    repostCount: number(1, 90, uri, "reposts"),
    likeCount: number(1, 900, uri, "likes"),
    quoteCount: number(1, 9, uri, "quotes"),
    indexedAt: moment(index),
    labels: [{ src: "did:plc:labels", val: number(0, 1, uri, "label") ? "porn" : "sample" }],
  };
}

const offsetOf = ({ query }: SampleRequest) => Number(query?.cursor ?? 0);

/** The cursor counts rows here. */
function paged(request: SampleRequest, list: string, make: (index: number) => object) {
  const offset = offsetOf(request);
  const end = offset + Number(request.query?.limit);
  return {
    [list]: listed(request, offset, make),
    ...(end < totalOf(request) ? { cursor: String(end) } : {}),
  };
}

const feed = (request: SampleRequest) =>
  paged(request, "feed", (index) => ({
    post: post(index),
    ...(index % 3 === 1
      ? {
          reason: {
            $type: "app.bsky.feed.defs#reasonRepost",
            by: actor("kim"),
            indexedAt: moment(index),
          },
        }
      : {}),
  }));

const viewed = (index: number, uri?: string) => ({
  $type: "app.bsky.feed.defs#threadViewPost",
  post: post(index, uri),
});

const people = (list: string) => (request: SampleRequest) =>
  paged(request, list, (index) => named(`${word(index)}-${index}`));

export const bluesky: Samples = {
  upstream: "bluesky",
  answers: {
    "GET /xrpc/app.bsky.actor.getProfile": ({ query = {} }) => {
      const name = handle(query.actor);
      return {
        ...named(name),
        banner: `${cdn}/banner/${name}`,
        followersCount: number(1, 9000, name, "followers"),
        followsCount: number(1, 900, name, "follows"),
        postsCount: number(1, 900, name, "posts"),
      };
    },
    "GET /xrpc/app.bsky.feed.getAuthorFeed": feed,
    "GET /xrpc/app.bsky.feed.getFeed": feed,
    "GET /xrpc/app.bsky.graph.getFollowers": people("followers"),
    "GET /xrpc/app.bsky.graph.getFollows": people("follows"),
    "GET /xrpc/app.bsky.actor.searchActors": people("actors"),
    "GET /xrpc/app.bsky.feed.getPosts": ({ query = {} }) => ({
      posts: [post(number(0, 40, String(query.uris)), String(query.uris))],
    }),
    "GET /xrpc/app.bsky.feed.getPostThread": (request) => ({
      thread: request.empty
        ? { $type: "app.bsky.feed.defs#blockedPost", uri: request.query?.uri, blocked: true }
        : {
            ...viewed(0, String(request.query?.uri)),
            parent: viewed(500),
            replies: Array.from({ length: totalOf(request) / 2 }, (_, index) => ({
              ...viewed(index + 1),
              replies: [viewed(index + 600)],
            })),
          },
    }),
    "GET /xrpc/app.bsky.unspecced.getTrends": (request) => ({
      trends: listed(request, 0, (index) => ({
        topic: String(index),
        displayName: `${word(index)} ${index}`,
        link: `/profile/trending.bsky.app/feed/${index}`,
        startedAt: moment(index),
        postCount: number(1, 9000, "trend", index),
        actors: [],
      })),
    }),
  },
  faults: {
    not_found: { status: 400, body: { error: "NotFound", message: "Post not found" } },
    upstream_error: { status: 418, body: undefined },
    upstream_unavailable: { status: 502, body: { error: "UpstreamFailure" } },
  },
};
