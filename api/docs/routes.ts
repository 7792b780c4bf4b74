import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { GatewayError } from "../../contract/errors.ts";
import type { Area } from "../../contract/operation.ts";
import { nearNames } from "../../contract/near-names.ts";
import { nearOperations } from "../../contract/search-operations.ts";
import { FixedText } from "../fixed-text.ts";
import { commonHeaders } from "../reply.ts";
import { addClientPackage } from "./client-package.ts";
import type { Here, HereReader } from "./availability.ts";
import { codeScript } from "./browser/code.ts";
import { searchScript } from "./browser/search.ts";
import { htmlOf, missingHtml } from "./html.ts";
import { type Page, llmsText, markdownOf, pagesOf } from "./pages.ts";
import { searchDocuments } from "./search-documents.ts";

/** Everything comes from this gateway, and nothing is inline. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

type Send = (request: FastifyRequest, reply: FastifyReply) => FastifyReply;

const exampleUrl = "http://localhost:3000";

const withPort = (text: string, request: FastifyRequest): string =>
  text.replaceAll(exampleUrl, `http://localhost:${request.socket.localPort}`);

/** Sends a text that is rendered on first use, with the port of this gateway in the place of the usual one. */
function sender(type: string, text: () => string): Send {
  let made: FixedText | undefined;
  return (request, reply) => {
    made ??= new FixedText(withPort(text(), request), `${type}; charset=utf-8`);
    void reply.header("content-security-policy", policy);
    return made.send(request, reply);
  };
}

/** Sends a page, which is rendered again when its state has changed. */
function pageSender(page: Page, type: string, text: (here: Here) => string) {
  let made: { state: string; send: Send } | undefined;
  return (here: Here): Send => {
    const state = page.state(here);
    if (made?.state !== state) made = { state, send: sender(type, () => text(here)) };
    return made.send;
  };
}

const wantsHtml = ({ headers }: Pick<FastifyRequest, "headers">): boolean =>
  headers.accept?.includes("text/html") ?? false;

const mostNear = 4;

const missing = (near: readonly string[] = []) => {
  const perhaps =
    near.length > 0 ? `; the nearest are ${near.map((name) => `/docs/${name}`).join(", ")}` : "";
  return new GatewayError("not_found", `There is no such path${perhaps}`);
};

/** The pages for callers at `/docs`, as HTML and as Markdown. They need no key. */
export class Pages {
  readonly #areas: readonly Area[];
  readonly #pages: Page[];
  readonly #here: HereReader;
  readonly #sends = new Map<string, (here: Here) => Send>();

  constructor(areas: readonly Area[], here: HereReader) {
    this.#areas = areas;
    this.#pages = pagesOf(areas);
    this.#here = here;
    for (const page of this.#pages) {
      const html = (here: Here) => htmlOf(page, here, this.#pages, areas);
      this.#sends.set(page.name, pageSender(page, "text/html", html));
      const markdown = pageSender(page, "text/markdown", (here) => markdownOf(page, here));
      this.#sends.set(`${page.name || "index"}.md`, markdown);
    }
  }

  /** Sends the page with this last part of its address. */
  async send(name: string, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const sendOf = this.#sends.get(name);
    if (!sendOf) return this.#sendMissing(request, reply);
    return sendOf(await this.#here.read())(request, reply);
  }

  /** A browser gets a page that leads on, a program the error envelope. */
  #sendMissing(request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const path = (request.raw.url as string).split("?", 1)[0] as string;
    const asked = path.replace(/^.*?\/docs\/?/, "").slice(0, 200);
    const near = this.#near(asked);
    if (!wantsHtml(request)) throw missing(near);
    const byWords = nearOperations(asked.replaceAll("/", " "));
    const html = missingHtml(
      path.slice(0, 200),
      [...new Set([...near, ...byWords])].slice(0, mostNear),
      asked.split("/").length,
      this.#pages,
      this.#areas,
    );
    return reply
      .code(404)
      .headers({
        ...commonHeaders(request.id),
        "content-type": "text/html; charset=utf-8",
        "content-security-policy": policy,
        "cache-control": "no-store",
      })
      .send(withPort(html, request));
  }

  /** Names of pages that differ from a wrong one in a few letters. */
  #near(asked: string): string[] {
    const names = this.#pages.map(({ name }) => name).filter(Boolean);
    return nearNames(names, asked.toLowerCase().replace(/\.(?:md|html?)$|\/+$/, ""));
  }

  addTo(app: FastifyInstance): void {
    const open = { config: { open: true }, exposeHeadRoute: true };
    // One route for all: a route for each of 600 pages takes a tenth of a start.
    app.get<{ Params: { page: string } }>("/docs/:page", open, (request, reply) => {
      const { page } = request.params;
      if (page === "") return reply.headers(commonHeaders(request.id)).redirect("../docs", 302);
      return this.send(page, request, reply);
    });
    const refuses = { config: { open: true, refuses: true }, exposeHeadRoute: true };
    app.get("/docs/*", refuses, (request, reply) => this.#sendMissing(request, reply));
    // People who open the address of the gateway want its documents.
    app.get("/", refuses, (request, reply) => {
      if (!wantsHtml(request)) throw missing();
      return reply.headers(commonHeaders(request.id)).redirect("docs", 302);
    });
    for (const [path, send] of this.#files()) app.get(path, open, send);
    addClientPackage(app);
  }

  #files(): [path: string, send: Send][] {
    const style = () => readFileSync(new URL("browser/style.css", import.meta.url), "utf8");
    const entry = createRequire(import.meta.url).resolve("minisearch");
    const library = () => readFileSync(join(dirname(entry), "..", "es", "index.js"), "utf8");
    const documents = () => JSON.stringify(searchDocuments(this.#pages, this.#areas));
    return [
      ["/docs/style.css", sender("text/css", style)],
      ["/docs/pages.js", sender("text/javascript", () => codeScript + searchScript)],
      ["/docs/minisearch.js", sender("text/javascript", library)],
      ["/docs/search.json", sender("application/json", documents)],
      ["/llms.txt", sender("text/plain", () => llmsText(this.#pages))],
    ];
  }
}
