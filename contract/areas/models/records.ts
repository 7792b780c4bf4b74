import * as z from "zod";
import { count } from "../../fields.ts";

/** Records of machine-learning models and datasets. */

const moment = (what: string) => z.string().describe(`${what}, ISO 8601 in UTC`).optional();

const shared = {
  id: z.string().describe("Name in its address, `owner/name`; a few have no owner"),
  author: z.string().optional().describe("User or organization in whose name it stands"),
  license: z.string().optional().describe("Licence as its authors state it, mostly an SPDX id"),
  tags: z.array(z.string()),
  download_count: count("Downloads of the last 30 days").optional(),
  like_count: count("Likes").optional(),
  is_gated: z.boolean().describe("Whether its files are for approved users only"),
  created_at: moment("When it was created"),
  updated_at: moment("When it last changed"),
};
const details = {
  revision: z.string().optional().describe("Git commit of its latest state"),
  languages: z.array(z.string()).describe("Languages of its text, as its authors state them"),
  files: z.array(z.string()).describe("Paths of its files"),
  storage_bytes: count("Bytes of all its files and their history").optional(),
};

export const modelHit = z
  .object({
    ...shared,
    task: z.string().optional().describe("What the model does: text-generation, fill-mask, …"),
    library: z.string().optional().describe("Library that loads it: transformers, diffusers, …"),
    model_url: z.string().describe("Page of the model"),
  })
  .meta({ id: "ModelHit" });

export const modelRecord = modelHit
  .extend({
    ...details,
    base_models: z.array(z.string()).describe("Models that it was made from"),
    datasets: z.array(z.string()).describe("Datasets that it was trained on"),
    architecture: z.string().optional().describe("Class of its network, as its library names it"),
    parameter_count: count("Parameters of its weights").optional(),
  })
  .meta({ id: "Model" });

export const datasetHit = z
  .object({
    ...shared,
    description: z.string().optional(),
    tasks: z.array(z.string()).describe("Tasks that it is meant for"),
    size_category: z.string().optional().describe("Number of its rows: n<1K, 1K<n<10K, …"),
    dataset_url: z.string().describe("Page of the dataset"),
  })
  .meta({ id: "DatasetHit" });

export const datasetRecord = datasetHit
  .extend({
    ...details,
    title: z.string().optional().describe("Name for people"),
    citation: z.string().optional().describe("Reference to cite, mostly BibTeX"),
  })
  .meta({ id: "Dataset" });

export const modelCard = z
  .object({
    id: z.string(),
    kind: z.enum(["model", "dataset"]).describe("What the card belongs to"),
    markdown: z.string().describe("The card without its head"),
    head: z.string().optional().describe("Data at the head of the card, YAML"),
    url: z.string().describe("Page of the model or dataset"),
  })
  .meta({ id: "ModelCard" });

export type ModelHit = z.output<typeof modelHit>;
export type ModelRecord = z.output<typeof modelRecord>;
export type DatasetHit = z.output<typeof datasetHit>;
export type DatasetRecord = z.output<typeof datasetRecord>;
export type ModelCard = z.output<typeof modelCard>;
