import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { FastifyInstance } from "fastify";
import { Marked } from "marked";
import { escape, framed } from "./frame.ts";

/** `/runbooks`: the causes and the remedies of each alert, from docs/observability.md. */

const marked = new Marked({
  renderer: {
    heading({ text }) {
      return `<h2 id="${text.toLowerCase()}">${text}</h2>\n`;
    },
    codespan({ text }) {
      const code = `<code>${escape(text)}</code>`;
      return /^\/[a-z]*$/.test(text) ? `<a href="${text}">${code}</a>` : code;
    },
    link({ tokens }) {
      // The documents that it links to are in the repository, not here.
      return this.parser.parseInline(tokens);
    },
  },
});

function runbooks(): string {
  const file = join(import.meta.dirname, "..", "docs", "observability.md");
  const [, alerts = ""] = readFileSync(file, "utf8").split("\n## Alerts\n");
  return marked.parse(alerts) as string;
}

export function addRunbooks(app: FastifyInstance): void {
  let html: string | undefined;
  app.get("/runbooks", (_request, reply) => {
    html ??= framed({ title: "Runbooks", body: `<div class="prose">${runbooks()}</div>` });
    return reply.type("text/html").send(html);
  });
}
