import Fastify from "fastify";
import { expect, test } from "vitest";
import { FixedText } from "../../api/fixed-text.ts";

const app = Fastify();
const text = new FixedText("text", "text/plain");
app.get("/", (request, reply) => text.send(request, reply));

/** How it is answered where these headers are sent. */
async function sent(headers: Record<string, string>) {
  const answer = await app.inject({ url: "/", headers });
  return [answer.statusCode, answer.headers["content-encoding"], String(answer.headers["etag"])];
}

test("the best encoding that is taken is chosen, and what is known is not sent again", async () => {
  expect((await sent({}))[1]).toBeUndefined();
  expect((await sent({ "accept-encoding": "gzip;q=0.5 , br ; q=0" }))[1]).toBe("gzip");
  expect((await sent({ "accept-encoding": "gzip, BR" }))[1]).toBe("br");
  const [, , etag = ""] = await sent({ "accept-encoding": "gzip" });
  const known = { "accept-encoding": "gzip", "if-none-match": `"a" , W/${etag}` };
  expect((await sent(known))[0]).toBe(304);
});

// As a pattern with spaces on both sides 16 KB took 200 ms, without a key; so many take half a minute.
test.each(["accept-encoding", "if-none-match"])("%s of spaces takes a moment", async (name) => {
  const started = performance.now();
  await sent({ [name]: `a${" ".repeat(200_000)}b;${" ".repeat(200_000)}c` });
  expect(performance.now() - started).toBeLessThan(5000);
});
