import type {
  Question,
  QuestionAnswer,
  QuestionTag,
  QuestionsUser,
} from "../../../contract/areas/questions/records.ts";
import { plain } from "../../mapping/markup.map.ts";
import { type Wire, at, count, defined, each, id, integer, need, object, text } from "#wire";

/** Titles and names are HTML: `&quot;`, `&#39;`. */
const words = (value: unknown): string | undefined => {
  const given = text(value);
  return given === undefined ? undefined : plain(given);
};

function author(value: unknown): Question["author"] {
  const row = object(value);
  const display_name = words(row?.display_name);
  if (!row || display_name === undefined) return undefined;
  return defined({
    id: id(row.user_id),
    display_name,
    reputation: count(row.reputation),
    avatar_url: text(row.profile_image),
    share_url: text(row.link),
  });
}

const written = (row: Wire) => ({
  text: words(row.body),
  text_html: text(row.body),
  score: integer(row.score) ?? 0,
  author: author(row.owner),
  create_time: integer(row.creation_date),
  edit_time: integer(row.last_edit_date),
  license: text(row.content_license),
});

export function question(row: Wire): Question {
  return defined({
    id: need(id(row.question_id), "question.question_id"),
    title: need(words(row.title), "question.title"),
    ...written(row),
    tags: each(row.tags, text),
    answer_count: count(row.answer_count) ?? 0,
    view_count: count(row.view_count),
    is_answered: row.is_answered === true,
    accepted_answer_id: id(row.accepted_answer_id),
    activity_time: integer(row.last_activity_date),
    closed_reason: words(row.closed_reason),
    share_url: text(row.link),
  });
}

/** An answer has no address of its own; its author's is on the same site. */
export function answer(row: Wire): QuestionAnswer {
  const answerId = need(id(row.answer_id), "answer.answer_id");
  const site = URL.parse(text(at(row, "owner", "link")) ?? "")?.origin;
  return defined({
    id: answerId,
    question_id: id(row.question_id),
    ...written(row),
    is_accepted: row.is_accepted === true,
    share_url: site === undefined ? undefined : `${site}/a/${answerId}`,
  });
}

export function tag(row: Wire): QuestionTag {
  return {
    name: need(text(row.name), "tag.name"),
    question_count: need(count(row.count), "tag.count"),
    has_synonyms: row.has_synonyms === true,
    is_moderator_only: row.is_moderator_only === true,
    is_required: row.is_required === true,
  };
}

export function user(row: Wire): QuestionsUser {
  return defined({
    id: need(id(row.user_id), "user.user_id"),
    display_name: need(words(row.display_name), "user.display_name"),
    reputation: need(count(row.reputation), "user.reputation"),
    gold_badge_count: count(at(row, "badge_counts", "gold")),
    silver_badge_count: count(at(row, "badge_counts", "silver")),
    bronze_badge_count: count(at(row, "badge_counts", "bronze")),
    location: words(row.location),
    website_url: text(row.website_url),
    avatar_url: text(row.profile_image),
    is_employee: row.is_employee === true,
    create_time: integer(row.creation_date),
    activity_time: integer(row.last_access_date),
    share_url: text(row.link),
  });
}
