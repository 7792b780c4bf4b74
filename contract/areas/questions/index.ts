import * as z from "zod";
import { id, page, perPage, text } from "../../fields.ts";
import { area, operation } from "../../operation.ts";
import type { Source } from "../../source.ts";
import { answer, question, questionTag, questionUser, questionWithAnswers } from "./records.ts";

const stackExchange: Source = {
  name: "Stack Exchange",
  url: "https://stackexchange.com",
  licence: "CC BY-SA",
  terms: "https://stackoverflow.com/help/licensing",
  attribution: "the site, the address of the question, and its authors' names",
};
const sources = [stackExchange];

const site = z
  .string()
  .trim()
  .toLowerCase()
  .regex(/^[a-z0-9][a-z0-9.-]{0,62}$/, {
    message: "must be a site's name, such as stackoverflow or math",
  })
  .default("stackoverflow")
  .describe("Site of Stack Exchange: stackoverflow, superuser, math, es.stackoverflow, …");

const number = (thing: string) => id(/^[0-9]{1,12}$/, thing, "its number of 1 to 12 digits");
/** The account that a site posts and edits with, Community, has the number -1. */
const userId = id(/^(-1|[0-9]{1,12})$/, "User", "its number of 1 to 12 digits, or -1");
const order = (values: string) => `Order, the largest first: ${values}`;
const list = { site, ...page({ most: 100, default: 20 }) };

export const questions = area({
  name: "questions",
  summary: "Questions and answers of the sites of Stack Exchange, with their tags and users",
  pool: "social",
  operations: [
    operation({
      id: "questions.search",
      method: "GET",
      path: "/questions/search",
      summary: "Questions by words, tags, or both",
      description: "The source shows the first 2,500 of a search to callers without its key.",
      input: z
        .strictObject({
          query: text(1, 240, "Words to search for").optional(),
          tags: z
            .array(
              z
                .string()
                .trim()
                .toLowerCase()
                .max(35)
                .regex(/^[\p{L}\p{M}\p{N}+#.-]+$/u, { message: "must be a tag" }),
            )
            .min(1)
            .max(5)
            .optional()
            .describe("Tags that the question must have, all of them"),
          has_accepted_answer: z
            .boolean()
            .optional()
            .describe("Only questions with an accepted answer, or only those without"),
          sort: z
            .enum(["relevance", "votes", "activity", "creation"])
            .default("relevance")
            .describe(order("fit, votes, last change, age")),
          ...list,
        })
        .refine(({ query, tags }) => query !== undefined || tags !== undefined, {
          path: ["query"],
          message: "is required where tags are absent",
        }),
      data: z.array(question),
      paginated: true,
      records: perPage,
      sources,
      example: { query: "parse a date", tags: ["javascript"], limit: 5 },
    }),
    operation({
      id: "questions.get",
      method: "GET",
      path: "/questions/{id}",
      summary: "One question with its best answers",
      input: z.strictObject({ id: number("Question"), site }),
      data: questionWithAnswers,
      records: { kind: "one" },
      sources,
      example: { id: "7100001" },
    }),
    operation({
      id: "questions.answers",
      method: "GET",
      path: "/questions/{id}/answers",
      summary: "Answers to a question",
      input: z.strictObject({
        id: number("Question"),
        sort: z
          .enum(["votes", "activity", "creation"])
          .default("votes")
          .describe(order("votes, last change, age")),
        ...list,
      }),
      data: z.array(answer),
      paginated: true,
      records: perPage,
      sources,
      example: { id: "7100001", limit: 5 },
    }),
    operation({
      id: "questions.tags",
      method: "GET",
      path: "/questions/tags",
      summary: "Tags of a site",
      input: z.strictObject({
        query: text(1, 35, "Part of the tag's name").optional(),
        sort: z.enum(["popular", "activity"]).default("popular").describe(order("uses, last use")),
        ...list,
      }),
      data: z.array(questionTag),
      paginated: true,
      records: perPage,
      sources,
      example: { query: "script", limit: 5 },
    }),
    operation({
      id: "questions.users.search",
      method: "GET",
      path: "/questions/users",
      summary: "Users of a site by a part of their name",
      input: z.strictObject({
        query: text(1, 100, "Part of the name"),
        sort: z
          .enum(["reputation", "creation"])
          .default("reputation")
          .describe(order("reputation, age of the account")),
        ...list,
      }),
      data: z.array(questionUser),
      paginated: true,
      records: perPage,
      sources,
      example: { query: "sam", limit: 5 },
    }),
    operation({
      id: "questions.users.get",
      method: "GET",
      path: "/questions/users/{id}",
      summary: "One user of a site",
      input: z.strictObject({ id: userId, site }),
      data: questionUser,
      records: { kind: "one" },
      sources,
      example: { id: "8100001" },
    }),
  ],
});
