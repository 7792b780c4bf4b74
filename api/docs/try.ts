import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { FastifyInstance } from "fastify";
import { commonHeaders } from "../reply.ts";

/**
 * Swagger UI over `/openapi.json`. Only its static files are used: its plugin would also render the contract as
 * YAML, again for every request.
 */

const require = createRequire(import.meta.url);
const assets = [
  {
    name: "swagger-ui.css",
    type: "text/css; charset=utf-8",
    file: require.resolve("@fastify/swagger-ui/static/swagger-ui.css"),
  },
  {
    name: "swagger-ui-bundle.js",
    type: "text/javascript; charset=utf-8",
    file: require.resolve("@fastify/swagger-ui/static/swagger-ui-bundle.js"),
  },
];

/** Addresses are relative, so that the page also works below a path of a reverse proxy. */
const page = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Public-Data Gateway</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="try/swagger-ui.css">
<div id="contract"></div>
<script src="try/swagger-ui-bundle.js"></script>
<script src="try/start.js"></script>
</html>
`;

/**
 * Closing the page forgets the key. A link to one operation loads its area only: over the whole contract
 * Swagger UI computes for seconds.
 */
const start = `const area = /^#\\/([\\w-]+)\\//.exec(location.hash)?.[1];
SwaggerUIBundle({
  dom_id: "#contract",
  url: "../openapi.json" + (area ? "?area=" + area : ""),
  deepLinking: true,
  docExpansion: "none",
  filter: true,
  defaultModelsExpandDepth: -1,
  displayRequestDuration: true,
  persistAuthorization: false,
  validatorUrl: null,
});
`;

/** Everything comes from this gateway; nothing is inline except the styles that Swagger UI sets itself. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** Adds `GET /docs/try`, which needs no key. */
export function addTry(app: FastifyInstance): void {
  const serve = (path: string, type: string, body: () => string | Promise<Buffer>, life: string) =>
    app.get(path, { config: { open: true }, exposeHeadRoute: true }, async (request, reply) =>
      reply
        .headers({
          ...commonHeaders(request.id),
          "content-type": type,
          "content-security-policy": policy,
          "cache-control": life,
        })
        .send(await body()),
    );
  serve("/docs/try", "text/html; charset=utf-8", () => page, "no-store");
  serve("/docs/try/start.js", "text/javascript; charset=utf-8", () => start, "no-store");
  for (const { name, type, file } of assets) {
    let content: Promise<Buffer> | undefined;
    serve(`/docs/try/${name}`, type, () => (content ??= readFile(file)), "public, max-age=3600");
  }
}
