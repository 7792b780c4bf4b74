import { createHash } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import type { FastifyInstance } from "fastify";
import { GatewayError } from "../../contract/errors.ts";
import { build } from "../../runtime/build.ts";
import { commonHeaders } from "../reply.ts";

const file = join(import.meta.dirname, "..", "..", "client", "client.tgz");

interface Tarball {
  modifiedMs: number;
  bytes: Buffer;
  etag: string;
}

/** `GET /client.tgz`: the TypeScript client of this gateway's contract, as `npm install` takes it. Needs no key. */
export function addClientPackage(app: FastifyInstance): void {
  let known: Tarball | undefined;

  /** The file may be built while this process runs. */
  async function read(): Promise<Tarball> {
    const found = await stat(file).catch(() => undefined);
    // `npm install` tries again after 503, and gives up after 404.
    if (!found)
      throw new GatewayError(
        "upstream_unavailable",
        "The client is not built yet: `npm start` builds it in the background, `npm run build -w client` at once",
        { retryAfter: 10 },
      );
    if (known?.modifiedMs === found.mtimeMs) return known;
    const bytes = await readFile(file);
    const hash = createHash("sha256").update(bytes).digest("base64url").slice(0, 22);
    known = { modifiedMs: found.mtimeMs, bytes, etag: `"${hash}"` };
    return known;
  }

  app.get(
    "/client.tgz",
    { config: { open: true }, exposeHeadRoute: true },
    async (request, reply) => {
      const { bytes, etag } = await read();
      void reply.headers({
        ...commonHeaders(request.id),
        "content-type": "application/gzip",
        "content-disposition": `attachment; filename="public-data-gateway-client-${build.version}.tgz"`,
        "cache-control": "no-cache",
        etag,
      });
      const tags = String(request.headers["if-none-match"] ?? "").split(",");
      if (tags.some((tag) => tag.trim().replace(/^W\//, "") === etag))
        return reply.code(304).send();
      return reply.send(bytes);
    },
  );
}
