import type {
  DatasetHit,
  DatasetRecord,
  ModelCard,
  ModelHit,
  ModelRecord,
} from "../../../contract/areas/models/records.ts";
import { type Wire, at, count, defined, each, need, text } from "#wire";

const site = "https://huggingface.co";

/** Values of tags such as `license:mit`. */
const tagged = (tags: readonly string[], name: string): string[] =>
  tags.flatMap((tag) => (tag.startsWith(`${name}:`) ? [tag.slice(name.length + 1)] : []));

/** A member of a card may be one text or a list of them. */
const texts = (value: unknown): string[] => {
  const one = text(value);
  return one === undefined ? each(value, text) : [one];
};

function shared(row: Wire, tags: readonly string[], repositoryId: string) {
  return {
    id: repositoryId,
    author:
      text(row.author) ?? (repositoryId.includes("/") ? repositoryId.split("/")[0] : undefined),
    license: tagged(tags, "license")[0],
    tags: [...tags],
    download_count: count(row.downloads),
    like_count: count(row.likes),
    // The kind of approval, or false.
    is_gated: row.gated === true || text(row.gated) !== undefined,
    created_at: text(row.createdAt),
    updated_at: text(row.lastModified),
  };
}

const details = (row: Wire) => ({
  revision: text(row.sha),
  languages: texts(at(row, "cardData", "language")),
  files: each(row.siblings, (file) => text(at(file, "rfilename"))),
  storage_bytes: count(row.usedStorage),
});

export function modelHit(row: Wire): ModelHit {
  const id = need(text(row.id) ?? text(row.modelId), "model.id");
  return defined({
    ...shared(row, each(row.tags, text), id),
    task: text(row.pipeline_tag),
    library: text(row.library_name),
    model_url: `${site}/${id}`,
  });
}

export function model(row: Wire): ModelRecord {
  return defined({
    ...modelHit(row),
    ...details(row),
    base_models: texts(at(row, "cardData", "base_model")),
    datasets: texts(at(row, "cardData", "datasets")),
    architecture: text(at(row, "config", "architectures", 0)),
    parameter_count: count(at(row, "safetensors", "total")) ?? count(at(row, "gguf", "total")),
  });
}

export function datasetHit(row: Wire): DatasetHit {
  const id = need(text(row.id), "dataset.id");
  const tags = each(row.tags, text);
  return defined({
    ...shared(row, tags, id),
    // Generated from the card, with its tabs and line ends.
    description: text(row.description)?.trim(),
    tasks: tagged(tags, "task_categories"),
    size_category: tagged(tags, "size_categories")[0],
    dataset_url: `${site}/datasets/${id}`,
  });
}

export function dataset(row: Wire): DatasetRecord {
  return defined({
    ...datasetHit(row),
    ...details(row),
    title: text(at(row, "cardData", "pretty_name")),
    citation: text(row.citation)?.trim(),
  });
}

/** A card is Markdown; a head of YAML between lines of three dashes may go before it. */
export function card(kind: ModelCard["kind"], id: string, body: unknown): ModelCard {
  const whole = need(typeof body === "string" ? body : undefined, "card").replaceAll("\r\n", "\n");
  const head = /^\uFEFF?---\n([\s\S]*?)\n---[ \t]*(?:\n|$)/.exec(whole);
  return defined({
    id,
    kind,
    markdown: whole.slice(head?.[0].length ?? 0).trim(),
    head: head?.[1],
    url: kind === "model" ? `${site}/${id}` : `${site}/datasets/${id}`,
  });
}
