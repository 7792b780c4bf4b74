import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Area } from "../../contract/operation.ts";
import { FixedText } from "../fixed-text.ts";
import { htmlOf, style } from "./html.ts";
import { type Page, llmsText, pagesOf } from "./pages.ts";

const policy = [
  "default-src 'none'",
  "style-src 'self'",
  "img-src data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

type Send = (request: FastifyRequest, reply: FastifyReply) => FastifyReply;

/** Sends a text that is rendered on first use. */
function sender(type: string, text: () => string): Send {
  let made: FixedText | undefined;
  return (request, reply) => {
    made ??= new FixedText(text(), `${type}; charset=utf-8`);
    void reply.header("content-security-policy", policy);
    return made.send(request, reply);
  };
}

/** The page of `/docs`, one of the declared endpoints. */
export function startPage(areas: readonly Area[]): Send {
  return sender("text/html", () => htmlOf(pagesOf(areas)[0] as Page, areas));
}

/** Adds the pages below `/docs`, as HTML and as Markdown, and `/llms.txt`; they need no key. */
export function addPages(app: FastifyInstance, areas: readonly Area[]): void {
  const serve = (path: string, type: string, text: () => string) =>
    app.get(path, { config: { open: true } }, sender(type, text));

  const pages = pagesOf(areas);
  for (const page of pages) {
    const { name } = page;
    if (name !== "") serve(`/docs/${name}`, "text/html", () => htmlOf(page, areas));
    serve(`/docs/${name || "index"}.md`, "text/markdown", () => page.markdown());
  }
  serve("/docs/style.css", "text/css", () => style);
  serve("/llms.txt", "text/plain", () => llmsText(pages));
}
