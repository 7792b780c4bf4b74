import type {
  VideositePost,
  VideositeSharedPost,
} from "../../../contract/areas/videosite/records.ts";
import { type Wire, array, at, each, need, object, text } from "#wire";
import { authorOf, countOf, defined, imageOf, nodeOf, passOver, textOf } from "./node.map.ts";
import { listedVideo } from "./video.map.ts";

/** A post of a channel; undefined for entries that are no posts. */
export function post(entry: unknown): VideositePost | undefined {
  const node = nodeOf(entry);
  if (node?.kind === "backstagePostRenderer") return own(node.value);
  if (node?.kind !== "sharedPostRenderer") return passOver(node);
  const row = node.value;
  const id = need(text(row.postId), "sharedPostRenderer.postId");
  const original = object(at(row, "originalPost", "backstagePostRenderer"));
  return defined({
    id,
    text: textOf(row.content),
    url: urlOf(id),
    author: authorOf(
      at(row, "endpoint") ?? at(row, "displayName", "runs", 0, "navigationEndpoint"),
      row.displayName,
      at(row, "thumbnail", "thumbnails"),
    ),
    published_text: textOf(row.publishedTimeText),
    images: [],
    shared_post: original && text(original.postId) ? own(original) : undefined,
  });
}

const urlOf = (id: string) => `https://www.youtube.com/post/${id}`;

function own(row: Wire): VideositeSharedPost {
  const id = need(text(row.postId), "backstagePostRenderer.postId");
  const attachment = object(row.backstageAttachment);
  const several = array(at(attachment, "postMultiImageRenderer", "images"));
  const images = several ?? (object(attachment?.backstageImageRenderer) ? [attachment] : []);
  return defined({
    id,
    text: textOf(row.contentText),
    url: urlOf(id),
    author: authorOf(row.authorEndpoint, row.authorText, at(row, "authorThumbnail", "thumbnails")),
    published_text: textOf(row.publishedTimeText),
    like_count: countOf(row.voteCount),
    comment_count: countOf(
      at(
        row,
        "actionButtons",
        "commentActionButtonsRenderer",
        "replyButton",
        "buttonRenderer",
        "text",
      ),
    ),
    images: each(images, (image) =>
      imageOf(at(image, "backstageImageRenderer", "image", "thumbnails")),
    ),
    video: videoOf(attachment),
    poll: pollOf(attachment),
  });
}

/** Deleted videos leave an attachment without an id. */
function videoOf(attachment: Wire | undefined) {
  const row = object(attachment?.videoRenderer);
  return row && text(row.videoId) ? listedVideo(attachment) : undefined;
}

function pollOf(attachment: Wire | undefined): VideositeSharedPost["poll"] {
  const poll = object(attachment?.pollRenderer);
  const choices = each(poll?.choices, (choice) => {
    const shown = textOf(at(choice, "text"));
    return shown === undefined
      ? undefined
      : defined({ text: shown, votes: countOf(at(choice, "numVotes")) });
  });
  if (choices.length === 0) return undefined;
  return defined({ choices, total_votes: countOf(at(poll, "totalVotes")) });
}
