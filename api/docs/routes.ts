import type { FastifyInstance } from "fastify";
import type { Area } from "../../contract/operation.ts";
import { FixedText } from "../fixed-text.ts";
import { htmlOf, style } from "./html.ts";
import { llmsText, pagesOf } from "./pages.ts";

const policy = [
  "default-src 'none'",
  "style-src 'self'",
  "img-src data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** The pages for those who call: `/docs` and below, as HTML and as Markdown, and `/llms.txt`; open to everyone. */
export function addPages(app: FastifyInstance, areas: readonly Area[]): void {
  function serve(path: string, type: string, text: () => string): void {
    let made: FixedText | undefined;
    app.get(path, { config: { open: true } }, (request, reply) => {
      made ??= new FixedText(text(), `${type}; charset=utf-8`);
      void reply.header("content-security-policy", policy);
      return made.send(request, reply);
    });
  }

  const pages = pagesOf(areas);
  for (const page of pages) {
    const { name } = page;
    serve(name === "" ? "/docs" : `/docs/${name}`, "text/html", () => htmlOf(page, areas));
    serve(`/docs/${name || "index"}.md`, "text/markdown", () => page.markdown());
  }
  serve("/docs/style.css", "text/css", () => style);
  serve("/llms.txt", "text/plain", () => llmsText(pages));
}
