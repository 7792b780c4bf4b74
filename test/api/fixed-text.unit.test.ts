import Fastify from "fastify";
import { expect, test } from "vitest";
import { FixedText } from "../../api/fixed-text.ts";

const app = Fastify();
const text = new FixedText("text", "text/plain");
app.get("/", (request, reply) => text.send(request, reply));

/** The answer to a request with these headers. */
async function sent(headers: Record<string, string>) {
  const answer = await app.inject({ url: "/", headers });
  return [answer.statusCode, answer.headers["content-encoding"], String(answer.headers["etag"])];
}

test("the best accepted encoding is chosen, and a known version is not sent again", async () => {
  expect((await sent({}))[1]).toBeUndefined();
  expect((await sent({ "accept-encoding": "gzip;q=0.5 , br ; q=0" }))[1]).toBe("gzip");
  expect((await sent({ "accept-encoding": "gzip, BR" }))[1]).toBe("br");
  const [, , etag = ""] = await sent({ "accept-encoding": "gzip" });
  const known = { "accept-encoding": "gzip", "if-none-match": `"a" , W/${etag}` };
  expect((await sent(known))[0]).toBe(304);
});

// A regular expression with spaces on both sides took 200 ms for 16 KB, without a key; as many as
// fit take half a minute.
test.each(["accept-encoding", "if-none-match"])("%s of spaces takes a moment", async (name) => {
  const started = performance.now();
  await sent({ [name]: `a${" ".repeat(200_000)}b;${" ".repeat(200_000)}c` });
  expect(performance.now() - started).toBeLessThan(5000);
});
