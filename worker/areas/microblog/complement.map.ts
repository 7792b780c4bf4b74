import type {
  MicroblogArticle,
  MicroblogCommunity,
  MicroblogCommunityAbout,
  MicroblogCommunityMember,
  MicroblogFoundCommunity,
  MicroblogList,
  MicroblogPost,
  MicroblogProfileTranslation,
  MicroblogSuggestions,
  MicroblogTranslation,
  MicroblogTrend,
  MicroblogUser,
} from "../../../contract/areas/microblog/records.ts";
import { GatewayError } from "../../../contract/errors.ts";
import {
  type Wire,
  array,
  at,
  boolean,
  count,
  defined,
  each,
  found,
  id,
  integer,
  need,
  object,
  rows,
  text,
} from "#wire";
import { authorIn, figuresIn, postIn, resultOf, userIn } from "./graph.map.ts";
import { dataOf, nextOfSlice } from "./timeline.map.ts";
import { avatar, distinct, leadingCount, postUrl, timeOfMs, verification } from "./value.map.ts";

/** Maps single records of the platform's web interface, and its lists that are not timelines. */

export function post(body: unknown): MicroblogPost {
  return found(postIn(dataOf(body, "post").tweetResult), "post");
}

export function user(body: unknown): MicroblogUser {
  return found(userIn(dataOf(body, "user").user_results), "user");
}

/** Posts or users of one request; missing ones are left out. */
export const posts = (body: unknown) => several(body, "tweetResult", postIn);
export const users = (body: unknown) => several(body, "users", userIn);

function several<Row>(body: unknown, name: string, read: (holder: Wire) => Row | undefined): Row[] {
  const answer = need(object(body), "body");
  const data = object(answer.data);
  if (Object.keys(answer).length === 0 || (data && Object.keys(data).length === 0)) return [];
  return rows(need(data, "data")[name], `data.${name}`, read);
}

/** A community; the upstream answers `data` without one for an unknown id. */
function communityOf(body: unknown): Wire {
  const data = dataOf(body, "community");
  const holder = data.community_results_by_rest_id ?? data.communityResults;
  return found(resultOf(holder), "community");
}

function core(row: Wire) {
  const communityId = need(id(row.rest_id), "community.rest_id");
  return defined({
    id: communityId,
    name: text(row.name),
    description: text(row.description),
    create_time: timeOfMs(row.created_at),
    member_count: count(row.member_count),
    join_policy: text(row.join_policy),
    share_url: `https://x.com/i/communities/${communityId}`,
  });
}

function details(row: Wire): MicroblogFoundCommunity {
  const image = (name: string) => text(at(row, name, "media_info", "original_img_url"));
  return defined({
    ...core(row),
    moderator_count: count(row.moderator_count),
    invites_policy: text(row.invites_policy),
    topic:
      text(at(row, "community_topic", "topic_name")) ??
      text(at(row, "primary_community_topic", "topic_name")),
    is_sensitive: boolean(row.is_nsfw) ?? false,
    banner_url: image("custom_banner_media") ?? image("default_banner_media"),
  });
}

export function community(body: unknown): MicroblogCommunity {
  return core(communityOf(body));
}

export function communityAbout(
  body: unknown,
  moderators: MicroblogCommunityMember[] | undefined,
): MicroblogCommunityAbout {
  const row = communityOf(body);
  const person = (holder: unknown) => (idIn(holder) === undefined ? undefined : userIn(holder));
  return defined({
    ...details(row),
    rules: each(row.rules, (entry) => {
      const name = text(at(entry, "name"));
      return name === undefined
        ? undefined
        : defined({
            id: id(at(entry, "rest_id")),
            name,
            description: text(at(entry, "description")),
          });
    }),
    creator: person(row.creator_results),
    admin: person(row.admin_results),
    moderators,
    member_preview: each(row.members_facepile_results, person),
  });
}

const idIn = (holder: unknown) => id(at(holder, "result", "rest_id")) ?? id(at(holder, "rest_id"));

export function foundCommunities(body: unknown) {
  const slice = dataOf(body, "community").communities_search_slice;
  return {
    rows: rows(at(slice, "items_results"), "communities_search_slice.items_results", (entry) => {
      const row = resultOf(entry);
      return row && details(row);
    }),
    next: nextOfSlice(slice),
  };
}

/** Lists found by a search, on one page. */
export function foundLists(body: unknown): { rows: MicroblogList[]; next: undefined } {
  const answer = need(object(body), "body");
  return {
    rows: rows(answer.lists, "lists", (row) => {
      const listId = need(id(row.object_id), "lists[].object_id");
      const contexts = each(row.result_contexts, (entry) => {
        const written = text(at(entry, "result_context", "display_string"));
        return written !== undefined && /followers?\b/.test(written) ? written : undefined;
      });
      return defined({
        id: listId,
        name: text(row.topic),
        description: text(row.supporting_text),
        share_url: `https://x.com/i/lists/${listId}`,
        banner_url: text(at(row, "primary_image", "original_info", "url")),
        follower_count: leadingCount(contexts[0]),
      });
    }),
    next: undefined,
  };
}

export function trends(body: unknown): MicroblogTrend[] {
  const answer = need(object(body), "body");
  if (Object.keys(answer).length === 0) return found<never>(undefined, "place");
  const modules = need(array(answer.modules), "modules").map((row, index) => ({ row, index }));
  return rows(modules, "modules", ({ row, index }) => {
    const trend = at(row, "trend");
    const name = need(text(at(trend, "name")), "modules[].trend.name");
    const query = text(at(trend, "target", "query")) ?? name;
    const rank = integer(at(trend, "rank"));
    const posts = leadingCount(at(trend, "meta_description"));
    return defined({
      name,
      rank: rank !== undefined && rank > 0 ? rank : (index as number) + 1,
      query,
      post_count: posts,
      post_count_is_approximate: posts === undefined ? undefined : true,
      share_url: `https://x.com/search?q=${encodeURIComponent(query)}`,
    });
  });
}

/** The article of a post; a post without an article is `not_found`. */
export function article(body: unknown): MicroblogArticle {
  const row = found(resultOf(dataOf(body, "post").tweetResult), "post");
  const postId = need(id(row.rest_id), "tweet.rest_id");
  const held = found(resultOf(at(row, "article", "article_results")), "article");
  const author = authorIn(row);
  const entityMap = at(held, "content_state", "entityMap");
  const entities = each(entityMap, (entry) => object(at(entry, "value")));
  const code = codeIn(entityMap);
  const blocks = each(at(held, "content_state", "blocks"), (entry) => {
    const type = text(at(entry, "type"));
    const own = at(entry, "text");
    if (type === undefined || typeof own !== "string") return undefined;
    // Code stands in an entity, and its block has a blank for a text.
    const key = own.trim() === "" ? id(at(entry, "entityRanges", 0, "key")) : undefined;
    return { type, text: (key === undefined ? undefined : code.get(key)) ?? own };
  });
  return defined({
    id: id(held.rest_id),
    post_id: postId,
    title: text(held.title),
    preview_text: text(held.preview_text),
    cover_image_url: text(at(held, "cover_media", "media_info", "original_img_url")),
    create_time: integer(at(held, "metadata", "first_published_at_secs")),
    update_time: integer(at(held, "lifecycle_state", "modified_at_secs")),
    author,
    text: text(blocks.map((block) => block.text).join("\n")),
    blocks,
    links: distinct(
      each(entities, (entity) =>
        at(entity, "type") === "LINK" ? text(at(entity, "data", "url")) : undefined,
      ),
    ),
    images: distinct(
      each(held.media_entities, (entry) => text(at(entry, "media_info", "original_img_url"))),
    ),
    share_url: postUrl(author?.username, postId),
    ...figuresIn(row),
  });
}

/** The code of an article, by the key that its block names; an article may have thousands of both. */
function codeIn(entityMap: unknown): Map<string, string> {
  const code = new Map<string, string>();
  for (const entry of array(entityMap) ?? []) {
    const key = id(at(entry, "key"));
    const markdown = text(at(entry, "value", "data", "markdown"));
    if (key === undefined || markdown === undefined || code.has(key)) continue;
    if (at(entry, "value", "type") === "MARKDOWN") code.set(key, markdown);
  }
  return code;
}

export function postTranslation(body: unknown, language: string): MicroblogTranslation {
  const holder = dataOf(body, "post").tweet_results;
  const row = found(resultOf(holder), "post");
  const made = need(object(row.translate_tweet), "translate_tweet");
  const state = text(made.translation_state);
  if (state !== undefined && state !== "Success") {
    throw new GatewayError("upstream_error", "The platform did not translate the post");
  }
  return defined({
    post_id: need(id(row.rest_id) ?? id(at(holder, "rest_id")), "tweet.rest_id"),
    source_language: text(made.source_language),
    target_language: text(made.destination_language) ?? language,
    translated_text: need(text(made.translation), "translate_tweet.translation"),
    provider: text(made.translation_source),
  });
}

/** A profile without a description has nothing to translate. */
export function profileTranslation(
  body: unknown,
  requested: { id: string; language: string },
): MicroblogProfileTranslation {
  const answer = need(object(body), "body");
  const made = object(answer.profileTranslation);
  if (Object.keys(answer).length === 0 || (made && Object.keys(made).length === 0)) {
    return found<never>(undefined, "translation");
  }
  return defined({
    user_id: id(answer.profileUserId) ?? requested.id,
    source_language: text(made?.sourceLanguage),
    target_language: text(made?.language) ?? requested.language,
    translated_text: need(text(made?.translation), "profileTranslation.translation"),
    provider: text(made?.translationSource),
  });
}

/** Suggestions, at most `most` of each kind. The topics also contain hashtags and cashtags. */
export function suggestions(body: unknown, query: string, most: number): MicroblogSuggestions {
  const answer = need(object(body), "body");
  const topics = each(answer.topics, (entry) => text(at(entry, "topic")));
  const tags = each(
    answer.hashtags,
    (entry) => text(entry) ?? text(at(entry, "hashtag")) ?? text(at(entry, "topic")),
  );
  const starting = (sign: string) =>
    topics.filter((topic) => topic.startsWith(sign)).map((topic) => topic.slice(1));
  return {
    query,
    users: each(need(array(answer.users), "users"), suggestedUser).slice(0, most),
    topics: topics.filter((topic) => !/^[#$]/.test(topic)).slice(0, most),
    hashtags: distinct([...tags.map((tag) => tag.replace(/^#/, "")), ...starting("#")]).slice(
      0,
      most,
    ),
    cashtags: distinct(starting("$")).slice(0, most),
  };
}

function suggestedUser(entry: unknown): MicroblogSuggestions["users"][number] | undefined {
  const row = object(entry);
  // The number `id` has lost digits; the text field beside it is exact.
  const userId = id(row?.id_str);
  if (!row || userId === undefined) return undefined;
  return defined({
    id: userId,
    username: text(row.screen_name),
    display_name: text(row.name),
    avatar_url: avatar(row.profile_image_url_https),
    location: text(row.location),
    ...verification(row.ext_verified_type, [row.verified], row.ext_is_blue_verified === true),
    is_protected: boolean(row.is_protected) ?? false,
  });
}
