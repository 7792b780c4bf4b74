import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { invalid } from "../../contract/errors.ts";
import { currentVersion } from "../../contract/version.ts";
import { sendError } from "../reply.ts";
import { hasBody } from "./edge.ts";

/** Seconds for which a browser may cache the permission. */
const rememberedSeconds = 86_400;

/** Whether pages of this origin may call; `*` allows every origin. */
export const isNamed = (origin: string, origins: readonly string[]): boolean =>
  origins.includes("*") || origins.includes(origin);

const isPreflight = ({ method, headers }: FastifyRequest): boolean =>
  method === "OPTIONS" && headers["access-control-request-method"] !== undefined;

/** The Fetch standard asks for 403 without headers of CORS; 401 or 405 would blame a key or a method. */
function refusePreflight(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  // A caller without a key needs a connection for each refusal. With a body, closing could lose the answer.
  if (!hasBody(request.raw)) void reply.header("connection", "close");
  const message = "Origin: WEB_ORIGINS of this gateway does not name it";
  return sendError(
    reply,
    invalid("header", "Origin", "unknown_origin", message, { status: 403 }),
    request,
  );
}

/**
 * Lets pages of these origins call from a browser (Fetch standard, CORS protocol). A preflight carries no key,
 * so it is answered before authentication. Browsers keep pages of other origins away. Callers need a key
 * anyway, and cookies have no effect.
 */
export function allowPages(app: FastifyInstance, origins: readonly string[]): void {
  app.addHook("onRequest", async (request, reply) => {
    const { origin } = request.headers;
    if (origin === undefined) return;
    if (!isNamed(origin, origins))
      return isPreflight(request) ? refusePreflight(request, reply) : undefined;
    void reply.header("access-control-allow-origin", origin);
    if (!isPreflight(request)) {
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

  if (origins.length === 0) return;
  // A cache in between must keep the answer for its origin only.
  app.addHook("onSend", async (_request, reply) => {
    const vary = reply.getHeader("vary");
    const has = typeof vary === "string" ? vary : "";
    if (!/\borigin\b/i.test(has)) void reply.header("vary", has ? `${has}, Origin` : "Origin");
  });
}
