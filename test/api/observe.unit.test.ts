import { Writable } from "node:stream";
import Fastify from "fastify";
import { expect, test } from "vitest";
import { observe } from "../../api/observe.ts";
import { createMetrics } from "../../runtime/metrics.ts";

/** Lines of the log after requests of these accounts, each answered with 429; 0 is a caller without a key. */
async function linesOf(accounts: readonly number[]) {
  const lines: { account?: number; status: number; key?: string; not_logged?: number }[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(JSON.parse(chunk.toString()) as (typeof lines)[number]);
      done();
    },
  });
  const logController = new Fastify.LogController({ disableRequestLogging: true });
  const app = Fastify({ logger: { level: "info", stream }, logController });
  app.decorateRequest("caller", undefined);
  observe(app, { metrics: createMetrics() });
  app.get("/:account", async (_request, reply) => reply.code(429).send({}));
  app.addHook("onRequest", (request, _reply, done) => {
    const accountId = Number(request.url.slice(1));
    if (accountId > 0) request.caller = { keyId: `${accountId}`, accountId } as never;
    done();
  });
  for (const account of accounts) await app.inject(`/${account}`);
  await app.close();
  return lines;
}

const notLogged = (lines: readonly { not_logged?: number }[]) =>
  lines.reduce((sum, { not_logged = 0 }) => sum + not_logged, 0);

test("refusals of an account are logged ten a second, with the number of the others", async () => {
  const lines = await linesOf([...Array.from({ length: 100 }, () => 1), 2]);
  expect(lines.length + notLogged(lines)).toBe(101);
  expect(lines.length).toBeLessThan(30);
});

test("refusals of strangers hide no refusal of an account", async () => {
  const lines = await linesOf([...Array.from({ length: 100 }, () => 0), 2]);
  expect(lines.length + notLogged(lines)).toBe(101);
  expect(notLogged(lines)).toBeGreaterThan(50);
  expect(lines.at(-1)?.key).toBe("2");
});
