import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { GatewayError } from "../../contract/errors.ts";
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

const exampleUrl = "http://localhost:3000";

/** Sends a text that is rendered on first use, with the port of this gateway in the place of the usual one. */
function sender(type: string, text: () => string): Send {
  let made: FixedText | undefined;
  return (request, reply) => {
    const url = `http://localhost:${request.socket.localPort}`;
    made ??= new FixedText(text().replaceAll(exampleUrl, url), `${type}; charset=utf-8`);
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
  const options = { config: { open: true }, exposeHeadRoute: true };
  const pages = pagesOf(areas);
  const sends = new Map<string, Send>();
  for (const page of pages) {
    const { name } = page;
    if (name !== "")
      sends.set(
        name,
        sender("text/html", () => htmlOf(page, areas)),
      );
    sends.set(
      `${name || "index"}.md`,
      sender("text/markdown", () => page.markdown()),
    );
  }
  // One route for all: a route for each of 480 pages takes a tenth of a start.
  app.get<{ Params: { page: string } }>("/docs/:page", options, (request, reply) => {
    const send = sends.get(request.params.page);
    if (!send) throw new GatewayError("not_found", "There is no such path");
    return send(request, reply);
  });
  app.get(
    "/docs/style.css",
    options,
    sender("text/css", () => style),
  );
  app.get(
    "/llms.txt",
    options,
    sender("text/plain", () => llmsText(pages)),
  );
}
