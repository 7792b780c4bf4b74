import * as z from "zod";
import { id, page, perPage } from "../../fields.ts";
import { area, operation } from "../../operation.ts";
import type { Source } from "../../source.ts";
import { jobBoard, jobDepartment, jobPosting, remoteJob } from "./records.ts";

const greenhouse: Source = {
  name: "Greenhouse",
  url: "https://www.greenhouse.com",
  licence: "terms of use",
  terms: "https://developers.greenhouse.io/job-board.html",
};
const lever: Source = {
  name: "Lever",
  url: "https://www.lever.co",
  licence: "terms of use",
  terms: "https://github.com/lever/postings-api",
};
const remotive: Source = {
  name: "Remotive",
  url: "https://remotive.com",
  licence: "terms of use",
  terms: "https://github.com/remotive-com/remote-jobs-api",
  attribution: "Remotive, with a link to the posting's own address there",
};

const board = id(
  /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/,
  "Board",
  "the company's name in the addresses of its postings, up to 100 letters, digits, `.`, `_` or `-`",
);

/** Sources in which every company has a board of its own. */
export const boardSources = ["greenhouse", "lever", "lever-eu"] as const;
const source = z
  .enum(boardSources)
  .default("greenhouse")
  .describe("Service that keeps the board; lever-eu is Lever's instance in the European Union");

const words = (description: string) =>
  z.string().trim().min(1).max(100).optional().describe(description);

export const jobBoards = area({
  name: "job-boards",
  summary: "Postings of jobs on the boards of companies, and of work from afar",
  pool: "social",
  operations: [
    operation({
      id: "job_boards.boards.get",
      method: "GET",
      path: "/job-boards/boards/{board}",
      summary: "A company's board at Greenhouse",
      sources: [greenhouse],
      input: z.strictObject({ board }),
      data: jobBoard,
      records: { kind: "one" },
      example: { board: "samplecorp" },
    }),
    operation({
      id: "job_boards.departments.list",
      method: "GET",
      path: "/job-boards/boards/{board}/departments",
      summary: "Departments of a company's board at Greenhouse, with the ids of their postings",
      sources: [greenhouse],
      input: z.strictObject({ board, ...page({ most: 500, default: 100 }) }),
      data: z.array(jobDepartment),
      paginated: true,
      records: perPage,
      example: { board: "samplecorp", limit: 5 },
    }),
    operation({
      id: "job_boards.postings.list",
      method: "GET",
      path: "/job-boards/boards/{board}/postings",
      summary: "Postings of a company",
      description:
        "At Greenhouse the view `summary` has no texts, departments and offices. `location`, `department` and `team` are for Lever only, and must be spelt as the company does.",
      sources: [greenhouse, lever],
      input: z.strictObject({
        board,
        source,
        view: z
          .enum(["summary", "full"])
          .default("summary")
          .describe("Without or with the texts of the postings"),
        location: words("Only postings for this place (Lever)"),
        department: words("Only postings of this department (Lever)"),
        team: words("Only postings of this team (Lever)"),
        ...page({ most: 500, default: 50 }),
      }),
      data: z.array(jobPosting),
      paginated: true,
      records: perPage,
      example: { board: "samplecorp", source: "lever", view: "full", limit: 5 },
    }),
    operation({
      id: "job_boards.postings.get",
      method: "GET",
      path: "/job-boards/boards/{board}/postings/{id}",
      summary: "A posting with its text and pay",
      sources: [greenhouse, lever],
      input: z.strictObject({
        board,
        id: id(
          /^([1-9][0-9]{0,14}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$/,
          "Posting",
          "a number of up to 15 digits (Greenhouse), or 32 hexadecimal digits in five groups (Lever)",
        ),
        source,
      }),
      data: jobPosting,
      records: { kind: "one" },
      example: { board: "samplecorp", id: "4000001", source: "greenhouse" },
    }),
    operation({
      id: "job_boards.remote.search",
      method: "GET",
      path: "/job-boards/remote/search",
      summary: "Jobs that are done from afar",
      description:
        "The source shows postings a day late, asks for at most four requests a day, and forbids to pass them on to other job sites or to request an e-mail address before one is shown.",
      sources: [remotive],
      input: z.strictObject({
        q: words("Words of the title or the text"),
        company: words("Part of the company's name"),
        category: words("Category or its slug, such as software-dev"),
        limit: z.int().min(1).max(500).default(50).describe("Most records to return"),
      }),
      data: z.array(remoteJob),
      records: perPage,
      example: { q: "harbour", limit: 5 },
    }),
  ],
});
