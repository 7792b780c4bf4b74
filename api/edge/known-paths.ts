import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from "fastify";
import { GatewayError, invalid } from "../../contract/errors.ts";
import { distance } from "../../contract/field-selection.ts";
import { checkBodyless, methodOrder, readsBody } from "./edge.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** Left out of `Allow`: the route only refuses. */
    refuses?: boolean;
  }
}

interface KnownPath {
  /** Made when first needed: an expression for each route is a part of every start. */
  rule: RegExp | undefined;
  methods: string[];
}

/** Converts a path template to Fastify's spelling; `templateOf` converts it back. */
export const routeOf = (template: string): string => template.replace(/\{(\w+)\}/g, ":$1");
const templateOf = (route: string): string => route.replace(/:(\w+)/g, "{$1}");

/** HEAD is answered wherever GET is. */
export const withHead = (method: HTTPMethods): HTTPMethods[] =>
  method === "GET" ? ["GET", "HEAD"] : [method];

/** Longer parts are not compared, so that a caller cannot choose how much time this takes. */
const longestCompared = 40;

/** Letters in which a path differs from a template; Infinity beyond a third of a part. A parameter fits everything. */
function farFrom(template: string, path: string): number {
  const [names, parts] = [template.split("/"), path.split("/")];
  if (names.length !== parts.length) return Infinity;
  let far = 0;
  for (const [index, name] of names.entries()) {
    const part = parts[index] as string;
    if (name === part || (name.startsWith("{") && part !== "")) continue;
    const most = Math.ceil(name.length / 3);
    if (part.length > longestCompared || Math.abs(name.length - part.length) > most)
      return Infinity;
    const apart = distance(name, part);
    if (apart > most) return Infinity;
    far += apart;
  }
  return far;
}

function ruleOf(template: string): RegExp {
  const texts = template.split(/\{\w+\}/);
  return new RegExp(`^${texts.map((text) => RegExp.escape(text)).join("[^/]+")}$`);
}

/** The paths of an app, collected as its routes are added. */
export class KnownPaths {
  readonly #paths = new Map<string, KnownPath>();

  constructor(app: FastifyInstance) {
    app.addHook("onRoute", ({ url, method, config }) => {
      if (!config?.refuses) this.#add(templateOf(url), [method].flat());
    });
  }

  #add(template: string, methods: readonly string[]): void {
    const known = this.#paths.get(template) ?? { rule: undefined, methods: [] };
    known.methods.push(...methods);
    this.#paths.set(template, known);
  }

  /** Path templates, with `{name}` for each parameter. */
  get templates(): Iterable<string> {
    return this.#paths.keys();
  }

  methodsOf(path: string): string[] {
    const fitting = [...this.#paths].filter(([template, known]) =>
      (known.rule ??= ruleOf(template)).test(path),
    );
    const methods = new Set(fitting.flatMap(([, known]) => known.methods));
    return methodOrder.filter((method) => methods.has(method));
  }

  /** Method and template of the path that an unknown one differs from in fewest letters. */
  nearest(path: string): string | undefined {
    let found: { name: string; far: number } | undefined;
    for (const [template, { methods }] of this.#paths) {
      const far = farFrom(template, path);
      if (far === Infinity || (found && far >= found.far)) continue;
      const method = methodOrder.find((one) => methods.includes(one));
      found = { name: `${method} ${template}`, far };
    }
    return found?.name;
  }
}

/** Throws 404 for an unknown path, and 405 with Allow for a known path with another method. */
function refuseUnrouted({ raw }: FastifyRequest, reply: FastifyReply, paths: KnownPaths): never {
  const path = (raw.url as string).split("?", 1)[0] as string;
  const allowed = paths.methodsOf(path);
  if (allowed.length === 0) {
    const near = paths.nearest(path);
    const perhaps = near === undefined ? "" : `; the nearest is ${near}`;
    throw new GatewayError("not_found", `There is no such path${perhaps}`);
  }
  void reply.header("allow", allowed.join(", "));
  const message = `The method must be ${allowed.join(" or ")}`;
  throw invalid("header", "", "method_not_allowed", message, { status: 405 });
}

/** Answers requests without a route, and refuses bodies that would have no effect. */
export function addFallback(app: FastifyInstance, paths: KnownPaths): void {
  // A wrong method is the fault to name, whatever its body. Fastify refuses some itself: QUERY without a type.
  app.addHook("onRequest", (request, reply, done) => {
    if (request.is404 && !readsBody(request.raw)) refuseUnrouted(request, reply, paths);
    checkBodyless(request.raw);
    done();
  });
  app.setNotFoundHandler((request, reply) => refuseUnrouted(request, reply, paths));
}
