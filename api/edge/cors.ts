import type { FastifyInstance } from "fastify";
import { currentVersion } from "../../contract/version.ts";

/** Seconds for which a browser may cache the permission. */
const rememberedSeconds = 86_400;

/** Whether pages of this origin may call; `*` allows every origin. */
export const isNamed = (origin: string, origins: readonly string[]): boolean =>
  origins.includes("*") || origins.includes(origin);

/**
 * Lets pages of these origins call from a browser (Fetch standard, CORS protocol). A preflight carries no key,
 * so it is answered before authentication. Without origins nothing is answered, and browsers keep pages of
 * other sites away. Callers need a key anyway, and cookies have no effect.
 */
export function allowPages(app: FastifyInstance, origins: readonly string[]): void {
  if (origins.length === 0) return;
  app.addHook("onRequest", async (request, reply) => {
    const { origin } = request.headers;
    if (origin === undefined || !isNamed(origin, origins)) return;
    void reply.header("access-control-allow-origin", origin);
    const method = request.headers["access-control-request-method"];
    if (request.method !== "OPTIONS" || method === undefined) {
      void reply.header("access-control-expose-headers", "*");
      return;
    }
    const asked = request.headers["access-control-request-headers"];
    return reply
      .code(204)
      .headers({
        "svc-version": currentVersion,
        "svc-request-id": request.id,
        vary: "Origin, Access-Control-Request-Headers",
        "access-control-allow-methods": "GET, POST, PATCH, DELETE",
        ...(asked === undefined ? {} : { "access-control-allow-headers": asked }),
        "access-control-max-age": rememberedSeconds,
      })
      .send();
  });

  // A cache in between must keep the answer for its origin only.
  app.addHook("onSend", async (_request, reply) => {
    const vary = reply.getHeader("vary");
    const has = typeof vary === "string" ? vary : "";
    if (!/\borigin\b/i.test(has)) void reply.header("vary", has ? `${has}, Origin` : "Origin");
  });
}
