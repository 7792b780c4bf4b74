import {
  about,
  browseTo,
  classicVideo,
  type Person,
  person,
  pictures,
  runs,
  simple,
  content,
} from "./nodes.ts";
import { vary } from "../../../sandbox/vary.ts";

const image = (name: string) => ({
  backstageImageRenderer: { image: { thumbnails: pictures(name) } },
});

const choices = ["Oak", "Ash", "Walnut"];

/** Attachments of posts, in turn. */
function attachment(seed: string, index: number, id: string) {
  switch (index % 8) {
    case 0:
      return image(id);
    case 1:
      return { postMultiImageRenderer: { images: [image(`${id}-1`), image(`${id}-2`)] } };
    case 2:
      return { videoRenderer: classicVideo(about("post", seed, index), 0) };
    case 3:
      return {
        pollRenderer: {
          choices: choices.map((choice, place) => ({
            text: runs(choice),
            ...(place === 2 ? {} : { numVotes: String(120 - place * 7) }),
          })),
          totalVotes: simple("1.2K votes"),
        },
      };
    default:
      return undefined;
  }
}

function own(seed: string, index: number, author: Person) {
  const id = `Ugk${vary("youtube", "post", seed, index).token("id", 29)}`;
  const shown = attachment(seed, index, id);
  return {
    postId: id,
    authorText: { runs: [{ text: author.name, navigationEndpoint: browseTo(author) }] },
    authorEndpoint: browseTo(author),
    authorThumbnail: { thumbnails: pictures(author.handle) },
    contentText: { runs: [{ text: `Post no. ${index + 1}: ` }, { text: "a day at the bench" }] },
    publishedTimeText: runs(`${1 + (index % 9)} weeks ago`),
    voteCount: simple(index % 5 === 4 ? "1.2K" : String(40 + index)),
    actionButtons: {
      commentActionButtonsRenderer: {
        replyButton: { buttonRenderer: index % 3 === 2 ? {} : { text: simple(String(3 + index)) } },
      },
    },
    ...(shown ? { backstageAttachment: shown } : {}),
  };
}

/** A channel's post; from the fifth of each eight on it shares a post of another channel. */
export function postThread(seed: string, index: number, author: Person) {
  if (index % 8 < 4)
    return {
      backstagePostThreadRenderer: { post: { backstagePostRenderer: own(seed, index, author) } },
    };
  const other = person("post", seed, index);
  return {
    backstagePostThreadRenderer: {
      post: {
        sharedPostRenderer: {
          postId: `Ugk${vary("youtube", "share", seed, index).token("id", 29)}`,
          displayName: runs(author.name),
          endpoint: browseTo(author),
          thumbnail: { thumbnails: pictures(author.handle) },
          content: runs("Have a look at this"),
          publishedTimeText: runs(`${1 + (index % 9)} weeks ago`),
          originalPost: { backstagePostRenderer: own(`${seed} shared`, index % 4, other) },
        },
      },
    },
  };
}

/** A comment's entry in the list, and its content elsewhere in the page. */
export function comment(
  seed: string,
  index: number,
  options: { parent?: string; replies?: string } = {},
) {
  const v = vary("youtube", "comment", seed, index);
  const who = person("comment", seed, index % 23);
  const own = `Ug${v.token("id", 24)}`;
  const id = options.parent ? `${options.parent}.${v.token("reply", 22)}` : own;
  const likes = v.int("likes", 0, 900);
  const view = {
    commentViewModel: {
      commentId: id,
      commentKey: `comment ${id}`,
      toolbarStateKey: `toolbar ${id}`,
      ...(index === 0 && !options.parent ? { pinnedText: "Pinned by @samplechannel" } : {}),
    },
  };
  const mutations = [
    {
      entityKey: `comment ${id}`,
      payload: {
        commentEntityPayload: {
          properties: {
            commentId: id,
            content: content(`Thank you, no. ${index + 1}!`),
            publishedTime: `${1 + (index % 11)} months ago${index % 4 === 1 ? " (edited)" : ""}`,
          },
          author: {
            channelId: who.id,
            displayName: `@${who.handle}`,
            avatarThumbnailUrl: `https://images.example/${who.handle}.jpg`,
            isCreator: index % 6 === 0,
            channelCommand: { innertubeCommand: browseTo(who) },
          },
          toolbar: {
            likeCountNotliked: likes % 5 === 0 ? "" : index % 3 === 0 ? "9.8K" : String(likes),
            replyCount: options.replies ? String(1 + (index % 30)) : "",
          },
        },
      },
    },
    {
      entityKey: `toolbar ${id}`,
      payload: {
        engagementToolbarStateEntityPayload: {
          heartState:
            index % 3 === 0 ? "TOOLBAR_HEART_STATE_HEARTED" : "TOOLBAR_HEART_STATE_UNHEARTED",
        },
      },
    },
  ];
  return { id, view, mutations };
}
