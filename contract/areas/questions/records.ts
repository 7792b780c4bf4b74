import * as z from "zod";
import { count, integer, unixSeconds } from "../../fields.ts";

/** Records of question-and-answer sites. */

const author = z
  .object({
    id: z.string().optional().describe("Absent for deleted accounts"),
    display_name: z.string(),
    reputation: count("Points given by other users").optional(),
    avatar_url: z.string().optional(),
    share_url: z.string().optional(),
  })
  .meta({ id: "QuestionsAuthor" });

const written = {
  text: z.string().optional().describe("Plain text of the body"),
  text_html: z.string().optional(),
  score: integer("Votes for less votes against"),
  author: author.optional(),
  create_time: unixSeconds("Time of publication").optional(),
  edit_time: unixSeconds("Time of the last edit, where there was one").optional(),
  license: z.string().optional().describe("Licence of the text, such as CC BY-SA 4.0"),
};

export const question = z
  .object({
    id: z.string(),
    title: z.string(),
    ...written,
    tags: z.array(z.string()),
    answer_count: count("Answers"),
    view_count: count("Views").optional(),
    is_answered: z.boolean().describe("Whether an answer was accepted or voted for"),
    accepted_answer_id: z.string().optional().describe("Answer that the asker accepted"),
    activity_time: unixSeconds("Time of the last answer, edit or other change").optional(),
    closed_reason: z.string().optional().describe("Why no further answer is taken"),
    share_url: z.string().optional(),
  })
  .meta({ id: "Question" });

export const answer = z
  .object({
    id: z.string(),
    question_id: z.string().optional().describe("Id of the question"),
    ...written,
    is_accepted: z.boolean().describe("Whether the asker accepted it"),
    share_url: z.string().optional(),
  })
  .meta({ id: "QuestionAnswer" });

export const questionWithAnswers = question
  .extend({
    answers: z.array(answer).describe("Up to 30 answers, those with the best score first"),
  })
  .meta({ id: "QuestionWithAnswers" });

export const questionTag = z
  .object({
    name: z.string(),
    question_count: count("Questions with the tag"),
    has_synonyms: z.boolean().describe("Whether other tags lead to it"),
    is_moderator_only: z.boolean().describe("Whether only moderators may use it"),
    is_required: z.boolean().describe("Whether a question needs one of these tags"),
  })
  .meta({ id: "QuestionTag" });

export const questionUser = z
  .object({
    id: z.string(),
    display_name: z.string(),
    reputation: count("Points given by other users"),
    gold_badge_count: count("Badges of gold").optional(),
    silver_badge_count: count("Badges of silver").optional(),
    bronze_badge_count: count("Badges of bronze").optional(),
    location: z.string().optional(),
    website_url: z.string().optional(),
    avatar_url: z.string().optional(),
    is_employee: z.boolean(),
    create_time: unixSeconds("Time of registration").optional(),
    activity_time: unixSeconds("Time of the last visit").optional(),
    share_url: z.string().optional(),
  })
  .meta({ id: "QuestionsUser" });

export type Question = z.output<typeof question>;
export type QuestionAnswer = z.output<typeof answer>;
export type QuestionTag = z.output<typeof questionTag>;
export type QuestionsUser = z.output<typeof questionUser>;
