import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { createLogin, createThrottle, sessionCookie, sessionSeconds } from "./login.ts";
import type { Credentials, Visitor } from "./login.ts";
import { parseForm } from "./form-body.ts";
import { pagePolicy } from "./frame.ts";
import { loginPage } from "./page.ts";
import { type ProxyUsers, proxyUser } from "./proxy-user.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Set on every route that is not open. */
    visitor: Visitor;
  }
}

/** Bull Board: its own files only; its markup carries style attributes. */
const boardPolicy = [
  "default-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'self'",
  "object-src 'none'",
].join("; ");

/** Routes for programs: METRICS_TOKEN opens these and no others. */
const machineRoutes = new Set([
  "/metrics",
  "/capacity",
  "/capacity/what-if",
  "/capacity/history",
  "/capacity/cost",
]);

const wrongSecret =
  "The METRICS_TOKEN, or the user and password, are not those that the dashboards were started with";

/** The matched route, so that no spelling of a path avoids a rule; undefined for unknown paths. */
const routeOf = (request: FastifyRequest) => request.routeOptions.url;

/** Time of a user's last logout (unix milliseconds). A logout ends the user's sessions in all browsers. */
export interface Logouts {
  last(user: string): Promise<number>;
  note(user: string, at: number): Promise<void>;
}

/** The path to open after the login: always a path of this server, so that no link redirects elsewhere. */
export function localPath(next: string | undefined): string {
  if (!next?.startsWith("/")) return "/";
  const url = URL.parse(next, "http://dashboards.invalid");
  if (url?.host !== "dashboards.invalid") return "/";
  // A browser reads a path that begins with two slashes as a host, and /.//host normalizes to one.
  return url.pathname.replace(/^\/+/, "/") + url.search;
}

/**
 * CSRF check: true for a request from a page of this server, or from a program with its own password.
 * Browsers set both headers themselves and send no cross-origin JSON without a preflight.
 */
function sameOrigin({ headers }: FastifyRequest): boolean {
  const site = headers["sec-fetch-site"];
  if (site !== undefined && site !== "same-origin") return false;
  if (headers.origin !== undefined) {
    const from = URL.parse(headers.origin);
    // Anybody on the way may write a page of http. Not every proxy for TLS says that it is one.
    const isTls = headers["x-forwarded-proto"] === "https";
    return from?.host === headers.host && (from?.protocol === "https:" || !isTls);
  }
  if (site !== undefined) return true;
  const isJson = /^application\/json\b/.test(headers["content-type"] ?? "");
  return headers.authorization !== undefined && headers.cookie === undefined && isJson;
}

function refuse(request: FastifyRequest, reply: FastifyReply, error = "Log in first") {
  if (machineRoutes.has(routeOf(request) ?? "")) {
    // A browser that opens one of these routes is sent to the login, as for any other page.
    if (request.headers.accept?.includes("text/html")) {
      return reply.redirect(`/login?next=${encodeURIComponent(request.url)}`, 303);
    }
    return reply
      .code(401)
      .header("WWW-Authenticate", 'Basic realm="gateway metrics"')
      .send({ error });
  }
  if (request.method === "GET" && request.headers.accept?.includes("text/html")) {
    return reply.redirect(`/login?next=${encodeURIComponent(request.url)}`, 303);
  }
  return reply.code(401).send({ error });
}

function tooMany(reply: FastifyReply, seconds: number) {
  return reply.code(429).header("Retry-After", seconds);
}

/**
 * Requires a login for every route except /health and the login itself, and adds the security headers to
 * every answer. Call it before registering routes.
 */
export function guardDoor(
  app: FastifyInstance,
  credentials: Credentials & { writable: boolean; proxyUsers?: ProxyUsers | undefined },
  logouts: Logouts,
): void {
  const login = createLogin(credentials);
  const throttle = createThrottle();
  app.decorateRequest("visitor", undefined as unknown as Visitor);

  /** Only an operator may change anything; with DASHBOARDS_WRITABLE=false nobody may. */
  function admit(request: FastifyRequest, reply: FastifyReply, visitor: Visitor) {
    request.visitor = credentials.writable ? visitor : { ...visitor, role: "viewer" };
    const isReadOnly = ["GET", "HEAD"].includes(request.method) || routeOf(request) === "/logout";
    if (isReadOnly || request.visitor.role === "operator") return undefined;
    return reply.code(403).send({ error: "Only an operator may change anything here" });
  }

  app.addHook("onSend", async (request, reply) => {
    const board = routeOf(request)?.startsWith("/queues");
    void reply.headers({
      // The library of the charts is the same for everybody, and changes with an upgrade only.
      "Cache-Control": routeOf(request)?.startsWith("/uplot.")
        ? "private, max-age=3600"
        : "no-store",
      "Content-Security-Policy": board ? boardPolicy : pagePolicy,
      "Cross-Origin-Opener-Policy": "same-origin",
      "Cross-Origin-Resource-Policy": "same-origin",
      "Referrer-Policy": "same-origin",
      "X-Content-Type-Options": "nosniff",
      "X-Frame-Options": "DENY",
    });
  });

  app.addHook("onRequest", async (request, reply) => {
    const route = routeOf(request);
    if (route === "/health") return;
    if (!["GET", "HEAD"].includes(request.method) && !sameOrigin(request)) {
      return reply.code(403).send({ error: "Not sent by a page of this server" });
    }
    if (route === "/login") return;
    const proxied = proxyUser(request, credentials.proxyUsers);
    if (proxied) return admit(request, reply, proxied);
    const { cookie: cookies } = request.headers;
    const user = login.sessionOf(cookies, Date.now())?.user;
    if (user !== undefined) {
      const ended = { user, at: await logouts.last(user) };
      const visitor = login.sessionOf(cookies, Date.now(), ended);
      if (visitor) return admit(request, reply, visitor);
    }

    const header = request.headers.authorization;
    if (header === undefined) return refuse(request, reply);
    const wait = throttle.wait(request.ip, performance.now());
    if (wait > 0) return tooMany(reply, wait).send({ error: "Too many wrong passwords" });
    const granted = await login.headerGrants(header);
    if (granted === "metrics" && machineRoutes.has(route ?? "")) {
      return admit(request, reply, { user: "metrics", role: "viewer" });
    }
    if (typeof granted === "object") return admit(request, reply, granted);
    if (granted === "nothing") {
      throttle.wrong(request.ip, performance.now());
      request.log.warn({ address: request.ip }, "wrong credentials");
      return refuse(request, reply, wrongSecret);
    }
    return refuse(request, reply, `METRICS_TOKEN opens ${[...machineRoutes].join(", ")} only`);
  });

  addLogin(app, { login, throttle, logouts });
}

interface LoginParts {
  login: ReturnType<typeof createLogin>;
  throttle: ReturnType<typeof createThrottle>;
  logouts: Logouts;
}

/** The pages that start and end a session. */
function addLogin(app: FastifyInstance, { login, throttle, logouts }: LoginParts): void {
  app.addContentTypeParser(
    "application/x-www-form-urlencoded",
    { parseAs: "string" },
    (_request, body, done) => done(null, parseForm(body as string)),
  );

  app.get<{ Querystring: { next?: string } }>("/login", async (request, reply) =>
    reply.type("text/html").send(loginPage(localPath(request.query.next))),
  );

  app.post<{ Body: Record<string, string> | undefined }>("/login", async (request, reply) => {
    const { user = "", password = "", next } = request.body ?? {};
    const target = localPath(next);
    void reply.type("text/html");
    const wait = throttle.wait(request.ip, performance.now());
    if (wait > 0) {
      return tooMany(reply, wait).send(
        loginPage(target, `Too many wrong passwords. Try again in ${wait} s.`),
      );
    }
    const session = await login.startSession(user, password, Date.now());
    if (session === undefined) {
      throttle.wrong(request.ip, performance.now());
      request.log.warn({ address: request.ip }, "wrong credentials");
      return reply.code(401).send(loginPage(target, "Wrong user or password."));
    }
    return reply
      .header("Set-Cookie", cookie(request, session, sessionSeconds))
      .redirect(target, 303);
  });

  app.post("/logout", async (request, reply) => {
    await logouts.note(request.visitor.user, Date.now());
    return reply.header("Set-Cookie", cookie(request, "", 0)).redirect("/login", 303);
  });
}

function cookie(request: FastifyRequest, value: string, maxAge: number): string {
  // Behind a TLS proxy. A client that forges this header affects only its own cookie.
  const secure = request.headers["x-forwarded-proto"] === "https" ? "; Secure" : "";
  return `${sessionCookie}=${value}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${maxAge}${secure}`;
}
