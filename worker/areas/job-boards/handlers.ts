import type { jobBoards } from "../../../contract/areas/job-boards/index.ts";
import { invalid } from "../../../contract/errors.ts";
import type { Call, Connector } from "../../connector.ts";
import { listed, listedById, type Page, wholeById } from "../../mapping/list.ts";
import type { Upstream } from "../../transport/upstream.ts";
import { greenhouse } from "../../upstreams/greenhouse/client.ts";
import { lever } from "../../upstreams/lever/client.ts";
import { remotive } from "../../upstreams/remotive/client.ts";
import type { Json } from "../../../contract/json.ts";
import { at, count, need, object, rows, text } from "#wire";
import {
  departments,
  greenhouseBoard,
  greenhousePosting,
  leverPosting,
  remotivePostings,
} from "./postings.map.ts";

type Query = Readonly<Record<string, string | number | boolean | undefined>>;

async function get(call: Call, upstream: Upstream, path: string, query: Query = {}) {
  return (await call.send(upstream, { method: "GET", path, query })).body;
}

const boardPath = (board: string) => `/v1/boards/${encodeURIComponent(board)}`;
const leverPath = (board: string) => `/v0/postings/${encodeURIComponent(board)}`;
const instanceOf = (source: "lever" | "lever-eu") => lever(source === "lever" ? "us" : "eu");

/**
 * Rows behind `position` of a list that comes whole. It changes between two calls, so a position is the last
 * delivered id, and the index behind it for an id that has left the list.
 */
export function after<Row extends { id: string }>(
  all: readonly Row[],
  position: Json | undefined,
  most: number,
): Page<Row> {
  const last = text(at(position, "last"));
  const index = last === undefined ? -1 : all.findIndex((row) => row.id === last);
  const start = index < 0 ? (count(at(position, "offset")) ?? 0) : index + 1;
  const page = all.slice(start, start + most);
  const end = start + page.length;
  const isEnd = page.length === 0 || end >= all.length;
  return { rows: page, next: isEnd ? null : { offset: end, last: (page.at(-1) as Row).id } };
}

/** Most rows of one request to Lever. */
const leverRows = 100;

export default {
  "job_boards.boards.get": async ({ board }, call) => ({
    data: greenhouseBoard(board, await get(call, greenhouse, boardPath(board))),
  }),
  "job_boards.departments.list": async ({ board, limit }, call) => {
    const all = departments(await get(call, greenhouse, `${boardPath(board)}/departments`));
    const most = Math.min(limit, call.maxRecords);
    return listedById(call, { limit }, async (position) => after(all, position, most));
  },
  "job_boards.postings.list": async (input, call) => {
    const { board, source, view, limit } = input;
    if (source === "greenhouse") {
      for (const name of ["location", "department", "team"] as const) {
        if (input[name] === undefined) continue;
        throw invalid("query", name, "invalid_value", `${name}: Greenhouse has no such filter`);
      }
      const query = view === "full" ? { content: true } : {};
      const body = await get(call, greenhouse, `${boardPath(board)}/jobs`, query);
      const all = rows(at(body, "jobs"), "jobs", greenhousePosting(board));
      const most = Math.min(limit, call.maxRecords);
      return listedById(call, { limit }, async (position) => after(all, position, most));
    }
    const read = leverPosting(source, board, view === "full");
    const { location, department, team } = input;
    return listed(call, {
      limit,
      start: { skip: 0, size: Math.min(leverRows, limit) },
      key: (row) => row.id,
      async fetch(position) {
        const skip = need(count(at(position, "skip")), "skip");
        const size = need(count(at(position, "size")), "size");
        const query = { mode: "json", skip, limit: size, location, department, team };
        const body = await get(call, instanceOf(source), leverPath(board), query);
        const found = rows(body, "postings", read);
        // The source states no end: a page that is not full is the last one.
        const isFull = Array.isArray(body) && body.length >= size;
        return { rows: found, next: isFull ? { skip: skip + size, size } : null };
      },
    });
  },
  "job_boards.postings.get": async ({ board, id, source }, call) => {
    if (source === "greenhouse") {
      const path = `${boardPath(board)}/jobs/${id}`;
      const body = await get(call, greenhouse, path, { pay_transparency: true });
      return { data: greenhousePosting(board)(need(object(body), "job")) };
    }
    const body = await get(call, instanceOf(source), `${leverPath(board)}/${id}`);
    return { data: leverPosting(source, board, true)(need(object(body), "posting")) };
  },
  "job_boards.remote.search": async ({ q, company, category, limit }, call) => {
    const query = { search: q, company_name: company, category, limit };
    const body = await get(call, remotive, "/api/remote-jobs", query);
    return wholeById(call, remotivePostings(body).slice(0, limit));
  },
} satisfies Connector<typeof jobBoards>;
