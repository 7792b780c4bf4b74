import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { commonHeaders } from "../reply.ts";
import type { Mcp } from "./handler.ts";

/**
 * Model Context Protocol at `/mcp`: streamable HTTP, revision 2026-07-28 without sessions, and 2025-11-25 for
 * older clients. No state is kept between requests, so any API process answers any of them. `isNamed` returns
 * whether the operator allows pages of an origin. `hold` counts a request until the returned function is called.
 */
export function addMcp(
  app: FastifyInstance,
  isNamed: (origin: string) => boolean,
  hold: (caller: NonNullable<FastifyRequest["caller"]>) => () => void,
): void {
  // Loaded by the first request, because most processes never get one: a twentieth of a start.
  let loaded: Promise<Mcp> | undefined;
  const load = () =>
    (loaded ??= import("./handler.ts").then(({ createMcp }) =>
      createMcp(
        () => ownAddress(app),
        (error) => app.log.debug({ err: error }, "mcp"),
      ),
    ));

  async function serve(request: FastifyRequest, reply: FastifyReply) {
    // Every request here has passed authentication.
    if (request.caller) reply.raw.once("close", hold(request.caller));
    const { origin } = request.headers;
    if (origin !== undefined && !isNamed(origin) && !isOwn(origin)) {
      const error = { code: -32000, message: "Origin: is not allowed to use these tools" };
      return reply
        .code(403)
        .headers(commonHeaders(request.id))
        .send({ jsonrpc: "2.0", error, id: null });
    }
    const fault = faultOf(request.body);
    if (fault !== undefined) {
      const error = { code: -32600, message: `Invalid Request: ${fault}` };
      return reply
        .code(400)
        .headers(commonHeaders(request.id))
        .send({ jsonrpc: "2.0", error, id: null });
    }
    const leaving = new AbortController();
    reply.raw.once("close", () => leaving.abort());
    const mcp = await load();
    const unheard = mcp.refusalOf(request.body);
    if (unheard) return reply.code(400).headers(commonHeaders(request.id)).send(unheard);
    const headers = new Headers();
    for (const [name, value] of Object.entries(request.headers)) {
      if (typeof value === "string") headers.set(name, value);
    }
    headers.set("svc-request-id", request.id);
    const asked = new Request(new URL(request.url, "http://gateway"), {
      method: request.method,
      headers,
      signal: leaving.signal,
    });
    const answer = await mcp.fetch(
      asked,
      request.body === undefined ? {} : { parsedBody: request.body },
    );
    void reply
      .code(answer.status)
      .headers(commonHeaders(request.id, request.version))
      .headers(Object.fromEntries(answer.headers));
    // Null would be sent as JSON; an accepted notification has no body.
    return reply.send(answer.body ?? undefined);
  }

  app.post("/mcp", serve);
  // The protocol answers GET and DELETE itself: there is no session to listen to or to end.
  app.route({ method: ["GET", "DELETE"], url: "/mcp", config: { refuses: true }, handler: serve });
  app.addHook("onClose", async () => (await loaded)?.close());
}

/** Batches left the protocol in 2025-06-18; a hundred messages would count as one call of the rate limit. */
function faultOf(body: unknown): string | undefined {
  if (Array.isArray(body)) return "one message at a time";
  if (isCrowded(body)) return `an object has more than ${mostNames} names`;
  return isLarge(body) ? `more than ${mostBeside} values beside the arguments` : undefined;
}

/** More than any message or operation input has. */
const mostNames = 200;
/** More than the capabilities of a client or a list of tasks have. */
const mostBeside = 500;

/** The SDK's validation copies each object several times: 19,000 names took 100 ms. */
function isCrowded(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const inside = Array.isArray(value) ? value : Object.values(value);
  if (!Array.isArray(value) && inside.length > mostNames) return true;
  return inside.some(isCrowded);
}

/** The SDK's validation reports every fault: 19,000 icons of a client took 160 ms and 4.6 MB. */
function isLarge(body: unknown): boolean {
  const { arguments: args } = (body as { params?: { arguments?: unknown } } | null)?.params ?? {};
  let values = 0;
  const add = (inner: unknown): boolean => {
    if (typeof inner !== "object" || inner === null || inner === args) return false;
    const members = Object.values(inner);
    values += members.length;
    return values > mostBeside || members.some(add);
  };
  return add(body);
}

const ownNames = new Set(["localhost", "127.0.0.1", "[::1]"]);

/**
 * Allows loopback origins. Programs send no Origin, but a page of any site could reach a gateway on its
 * visitor's machine (DNS rebinding).
 */
function isOwn(origin: string): boolean {
  return ownNames.has(URL.parse(origin)?.hostname ?? "");
}

/** The address on which this process listens. */
function ownAddress(app: FastifyInstance): string {
  const address = app.server.address();
  if (typeof address !== "object" || address === null) throw new Error("not listening yet");
  const isAny = address.address === "0.0.0.0" || address.address === "::";
  const host = isAny ? "127.0.0.1" : address.address;
  return `http://${host.includes(":") ? `[${host}]` : host}:${address.port}`;
}
