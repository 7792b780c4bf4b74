import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { GatewayError } from "../../contract/errors.ts";
import type { Area, Operation } from "../../contract/operation.ts";
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

type Send = (request: FastifyRequest, reply: FastifyReply, evidence?: string) => FastifyReply;

/** The evidence of this installation for an operation, in words. */
export type EvidenceOf = (op: Operation) => Promise<string>;

const exampleUrl = "http://localhost:3000";

/**
 * Sends a text that is rendered on first use, and again when the evidence of its operation has changed, with the
 * port of this gateway in the place of the usual one.
 */
function sender(type: string, text: (evidence?: string) => string): Send {
  let made: { evidence: string | undefined; text: FixedText } | undefined;
  return (request, reply, evidence) => {
    if (made?.evidence !== evidence || !made) {
      const url = `http://localhost:${request.socket.localPort}`;
      const words = text(evidence).replaceAll(exampleUrl, url);
      made = { evidence, text: new FixedText(words, `${type}; charset=utf-8`) };
    }
    void reply.header("content-security-policy", policy);
    return made.text.send(request, reply);
  };
}

/** The page of `/docs`, one of the declared endpoints. */
export function startPage(areas: readonly Area[]): Send {
  return sender("text/html", () => htmlOf(pagesOf(areas)[0] as Page, areas));
}

/** Adds the pages below `/docs`, as HTML and as Markdown, and `/llms.txt`; they need no key. */
export function addPages(
  app: FastifyInstance,
  areas: readonly Area[],
  evidenceOf: EvidenceOf,
): void {
  const options = { config: { open: true }, exposeHeadRoute: true };
  const pages = pagesOf(areas);
  const sends = new Map<string, { send: Send; operation: Operation | undefined }>();
  for (const page of pages) {
    const { name, operation } = page;
    if (name !== "") {
      const send = sender("text/html", (evidence) => htmlOf(page, areas, evidence));
      sends.set(name, { send, operation });
    }
    const send = sender("text/markdown", (evidence) => page.markdown(evidence));
    sends.set(`${name || "index"}.md`, { send, operation });
  }
  // One route for all: a route for each of 480 pages takes a tenth of a start.
  app.get<{ Params: { page: string } }>("/docs/:page", options, async (request, reply) => {
    const found = sends.get(request.params.page);
    if (!found) throw new GatewayError("not_found", "There is no such path");
    const { send, operation } = found;
    return send(request, reply, operation && (await evidenceOf(operation)));
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
