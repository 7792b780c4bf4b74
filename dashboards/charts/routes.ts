import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { FastifyInstance } from "fastify";
import { chartScript } from "./draw.ts";

const require = createRequire(import.meta.url);
const script = "text/javascript; charset=utf-8";
const library = [
  { path: "/uplot.js", type: script, file: require.resolve("uplot/dist/uPlot.iife.min.js") },
  {
    path: "/uplot.css",
    type: "text/css; charset=utf-8",
    file: require.resolve("uplot/dist/uPlot.min.css"),
  },
];

/** The library of the charts and our script that uses it, so that a page needs no other server. */
export function addChartFiles(app: FastifyInstance): void {
  for (const { path, type, file } of library) {
    let content: Promise<Buffer> | undefined;
    app.get(path, async (_request, reply) =>
      reply.type(type).send(await (content ??= readFile(file))),
    );
  }
  app.get("/charts.js", async (_request, reply) => reply.type(script).send(chartScript));
}
