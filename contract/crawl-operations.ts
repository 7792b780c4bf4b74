import { crawlsEndpoints } from "./crawls.ts";
import type { Endpoint } from "./endpoint.ts";
import { type Area, type Operation, area, operation } from "./operation.ts";

/**
 * The endpoints of crawls in the form of operations, for those who find and call operations by name: agents and
 * the command line. Their requests go to the endpoints; no worker carries them out.
 */

const example = { id: `batch_${"0".repeat(32)}` };

/** One credit a page; everything but the start of a crawl is free. */
const operationOf = (endpoint: Endpoint) =>
  operation({
    ...endpoint,
    // A request is made of method and path alone, whatever the method.
    method: endpoint.method as "GET" | "POST",
    input: endpoint.input as NonNullable<Endpoint["input"]>,
    records: {
      kind: "list",
      rows: () => [],
      most: (input) => (endpoint.id === "web.crawl" ? (input.limit as number) : 0),
    },
    example: endpoint.id === "web.crawl" ? { url: "https://example.com/", limit: 50 } : example,
  });

const { operations } = area({
  name: "web",
  summary: "Reads what pages and sites state about themselves",
  pool: "social",
  // A stream is nothing that these callers read.
  operations: crawlsEndpoints.filter(({ id }) => id !== "web.crawl.results").map(operationOf),
});

export const crawlOperations: ReadonlyMap<string, Operation> = new Map(
  operations.map((op) => [op.id, op as Operation]),
);

/** The areas with the start of a crawl, for those who look for what they can call. */
export const withCrawls = (areas: readonly Area[]): Area[] =>
  areas.map((one) => {
    const starts = operations.filter(({ id, area: of }) => id === "web.crawl" && of === one.name);
    return { ...one, operations: [...one.operations, ...starts] };
  });
