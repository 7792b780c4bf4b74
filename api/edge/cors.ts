import type { FastifyInstance } from "fastify";

/** Seconds a browser may remember what it was allowed. */
const rememberedSeconds = 86_400;

/** Whether pages of an origin may call; `*` names every origin. */
export const isNamed = (origin: string, origins: readonly string[]): boolean =>
  origins.includes("*") || origins.includes(origin);

/**
 * Lets pages of these origins call from a browser (Fetch standard, CORS protocol). What a browser asks before
 * a call carries no key, so it is answered ahead of everything else; without origins nothing is answered, and
 * browsers keep pages of other sites away. A key is what a caller needs anyway, and no
 * cookie means anything here.
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
        vary: "Origin, Access-Control-Request-Headers",
        "access-control-allow-methods": "GET, POST, PATCH, DELETE",
        ...(asked === undefined ? {} : { "access-control-allow-headers": asked }),
        "access-control-max-age": rememberedSeconds,
      })
      .send();
  });

  // An answer that may be kept by what stands between is kept for its origin alone.
  app.addHook("onSend", async (_request, reply) => {
    const vary = reply.getHeader("vary");
    const has = typeof vary === "string" ? vary : "";
    if (!/\borigin\b/i.test(has)) void reply.header("vary", has ? `${has}, Origin` : "Origin");
  });
}
