import type { models } from "../../../contract/areas/models/index.ts";
import type { Call, Connector } from "../../connector.ts";
import { nextParameter } from "../../mapping/link-header.ts";
import { listedById, type Page } from "../../mapping/list.ts";
import { escapedPath } from "../../mapping/path.map.ts";
import { getMoved } from "../../transport/moved.ts";
import type { UpstreamRequest } from "../../transport/upstream.ts";
import { huggingFace, huggingFaceFiles } from "../../upstreams/hugging-face/client.ts";
import { type Wire, need, object, rows, text } from "#wire";
import { card, dataset, datasetHit, model, modelHit } from "./repositories.map.ts";

export default {
  "models.search": async (input, call) => {
    const { task: pipeline_tag, library, license } = input;
    const filter = [...tags({ license }), ...(library === undefined ? [] : [library])];
    const request = { query: { ...asked(input), pipeline_tag }, repeated: { filter } };
    return listedById(call, input, (position) =>
      pageAt(call, "/api/models", position, request, modelHit),
    );
  },
  "models.get": async ({ name }, call) => ({
    data: model(need(object(await get(call, `/api/models/${escapedPath(name)}`)), "model")),
  }),
  "models.datasets.search": async (input, call) => {
    const { task, license } = input;
    const filter = tags({ task_categories: task, license });
    const request = { query: asked(input), repeated: { filter } };
    return listedById(call, input, (position) =>
      pageAt(call, "/api/datasets", position, request, datasetHit),
    );
  },
  "models.datasets.get": async ({ name }, call) => ({
    data: dataset(need(object(await get(call, `/api/datasets/${escapedPath(name)}`)), "dataset")),
  }),
  "models.card": async ({ name, kind }, call) => {
    const owner = kind === "dataset" ? "/datasets" : "";
    const path = `${owner}/${escapedPath(name)}/resolve/main/README.md`;
    return { data: card(kind, name, await file(call, path)) };
  },
} satisfies Connector<typeof models>;

type Query = NonNullable<UpstreamRequest["query"]>;

const orders = {
  trending: "trendingScore",
  downloads: "downloads",
  likes: "likes",
  created: "createdAt",
  updated: "lastModified",
} as const;

interface Search {
  query?: string | undefined;
  author?: string | undefined;
  sort: keyof typeof orders;
}

/** Tags of the form `name:value` that a repository must have. */
const tags = (wanted: Readonly<Record<string, string | undefined>>): string[] =>
  Object.entries(wanted).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}:${value}`],
  );

const asked = ({ query, author, sort }: Search): Query => ({
  search: query,
  author,
  sort: orders[sort],
  direction: -1,
  full: true,
});

async function get(call: Call, path: string): Promise<unknown> {
  return (await getMoved(call, huggingFace, { path }, "repository")).body;
}

/** Rows of one request. */
const pageSize = 100;

/** The next page's cursor is in the `Link` header. */
async function pageAt<Row>(
  call: Call,
  path: string,
  position: unknown,
  { query, repeated }: Pick<UpstreamRequest, "query" | "repeated">,
  read: (row: Wire) => Row,
): Promise<Page<Row>> {
  const whole = { ...query, limit: pageSize, cursor: text(position) };
  const request = { method: "GET", path, query: whole, repeated } as UpstreamRequest;
  const { body, headers } = await call.send(huggingFace, request);
  return { rows: rows(body, "list", read), next: nextParameter(headers.link, "cursor") };
}

/** A text file, whose address leads to that of its content. */
async function file(call: Call, path: string): Promise<unknown> {
  const request = { path, isText: true, headers: { accept: "*/*" } };
  return (await getMoved(call, huggingFaceFiles, request, "card")).body;
}
