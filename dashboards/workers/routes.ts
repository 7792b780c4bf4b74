import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Database } from "../../db/client.ts";
import { standingControls } from "../../db/controls.ts";
import type { Reading } from "../metrics.ts";
import { workersPage } from "./page.ts";

/** `/workers`: every process. Its forms send their decisions to `/controls`. */
export function addWorkers(
  app: FastifyInstance,
  db: Database | undefined,
  read: (request: FastifyRequest) => Promise<Reading | undefined>,
): void {
  // The former address, which bookmarks may have.
  app.get("/processes", (_request, reply) => reply.redirect("/workers", 301));
  app.get("/workers", async (request, reply) => {
    const [reading, controls] = await Promise.all([
      read(request),
      db && standingControls(db).catch(() => undefined),
    ]);
    const mayChange = request.visitor.role === "operator";
    return reply
      .code(reading ? 200 : 503)
      .type("text/html")
      .send(workersPage({ reading, controls, mayChange }));
  });
}
