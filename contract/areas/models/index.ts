import * as z from "zod";
import { page, perPage, text } from "../../fields.ts";
import { area, operation } from "../../operation.ts";
import type { Source } from "../../source.ts";
import { datasetHit, datasetRecord, modelCard, modelHit, modelRecord } from "./records.ts";

const huggingFace: Source = {
  name: "Hugging Face",
  url: "https://huggingface.co",
  licence: "terms of use",
  terms: "https://huggingface.co/terms-of-service",
};
const sources = [huggingFace];

const part = "[A-Za-z0-9_][A-Za-z0-9_.-]{0,95}";
const name = (thing: string) =>
  z
    .string()
    .trim()
    .regex(new RegExp(`^(${part}/)?${part}$`), { message: "must be `owner/name`" })
    .describe(`Name of the ${thing} in its address, \`owner/name\``);
const tag = (description: string) =>
  z
    .string()
    .trim()
    .regex(/^[A-Za-z0-9][A-Za-z0-9_.:<>-]{0,99}$/, {
      message: "must be a tag of 1 to 100 characters",
    })
    .optional()
    .describe(description);

const search = {
  query: text(1, 200, "Words in the name").optional(),
  author: z
    .string()
    .trim()
    .regex(new RegExp(`^${part}$`), { message: "must be the name of a user or organization" })
    .optional()
    .describe("Only those of this user or organization"),
  license: tag("Only those with this licence: apache-2.0, mit, …"),
  sort: z
    .enum(["trending", "downloads", "likes", "created", "updated"])
    .default("trending")
    .describe("Order, the largest or newest first"),
  ...page({ most: 100, default: 20 }),
};

export const models = area({
  name: "models",
  summary: "Machine-learning models and datasets, with their cards",
  pool: "social",
  operations: [
    operation({
      id: "models.search",
      method: "GET",
      path: "/models/search",
      summary: "Models by words, author, task, library or licence",
      input: z.strictObject({
        ...search,
        task: tag("Only models for this task: text-generation, …"),
        library: tag("Only models for this library: transformers, …"),
      }),
      data: z.array(modelHit),
      paginated: true,
      records: perPage,
      sources,
      example: { query: "harbour", task: "text-generation", limit: 5 },
    }),
    operation({
      id: "models.get",
      method: "GET",
      path: "/models/model",
      summary: "One model with its files and what it was made from",
      input: z.strictObject({ name: name("model") }),
      data: modelRecord,
      records: { kind: "one" },
      sources,
      example: { name: "sample/lantern-7b" },
    }),
    operation({
      id: "models.datasets.search",
      method: "GET",
      path: "/models/datasets",
      summary: "Datasets by words, author, task or licence",
      input: z.strictObject({
        ...search,
        task: tag("Only datasets for this task: text-classification, …"),
      }),
      data: z.array(datasetHit),
      paginated: true,
      records: perPage,
      sources,
      example: { query: "harbour", limit: 5 },
    }),
    operation({
      id: "models.datasets.get",
      method: "GET",
      path: "/models/dataset",
      summary: "One dataset with its files",
      input: z.strictObject({ name: name("dataset") }),
      data: datasetRecord,
      records: { kind: "one" },
      sources,
      example: { name: "sample/letters" },
    }),
    operation({
      id: "models.card",
      method: "GET",
      path: "/models/card",
      summary: "The card of a model or dataset: what its authors say about it, as Markdown",
      input: z.strictObject({
        name: name("model or dataset"),
        kind: z.enum(["model", "dataset"]).default("model").describe("What the name stands for"),
      }),
      data: modelCard,
      records: {
        kind: "one",
        isNone: ({ markdown, head }) => markdown === "" && head === undefined,
      },
      sources,
      example: { name: "sample/lantern-7b" },
    }),
  ],
});
