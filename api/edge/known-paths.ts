import type { FastifyInstance, HTTPMethods } from "fastify";
import { GatewayError, invalid } from "../../contract/errors.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** Left out of `Allow`: the route only refuses. */
    refuses?: boolean;
  }
}

/** The order of methods in `Allow`. */
const methodOrder = ["GET", "HEAD", "POST", "PATCH", "DELETE"];

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
}

/** Answers 404 for unknown paths, and 405 with Allow for known paths with another method. */
export function addFallback(app: FastifyInstance, paths: KnownPaths): void {
  app.setNotFoundHandler((request, reply) => {
    const allowed = paths.methodsOf((request.raw.url as string).split("?", 1)[0] as string);
    if (allowed.length === 0) throw new GatewayError("not_found", "There is no such path");
    void reply.header("allow", allowed.join(", "));
    const message = `The method must be ${allowed.join(" or ")}`;
    throw invalid("header", "", "method_not_allowed", message, { status: 405 });
  });
}
