import { Command } from "commander";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { addMap } from "../../cli/map.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "gateway-map-"));
});
afterAll(() => rm(folder, { recursive: true }));

async function file(name: string, text: string): Promise<string> {
  await writeFile(join(folder, name), text);
  return join(folder, name);
}

/** Runs the command in this process and returns its exit code and its one JSON document. */
async function map(...args: string[]): Promise<{ code: unknown; output: Record<string, unknown> }> {
  let text = "";
  const out = vi.spyOn(process.stdout, "write").mockImplementation((chunk) => {
    text += String(chunk);
    return true;
  });
  const program = new Command();
  addMap(program);
  try {
    await program.parseAsync(["map", ...args], { from: "user" });
    return { code: process.exitCode, output: JSON.parse(text) as Record<string, unknown> };
  } finally {
    out.mockRestore();
    process.exitCode = 0;
  }
}

const videos = (ids: string[], more: string) =>
  `{"code":200,"data":{"aweme_list":[${ids.map((id) => `{"aweme_id":${id},"desc":"d"}`).join()}],${more}}}`;

test("stored pages become one list; ids beyond 2^53 stay exact", async () => {
  const first = await file(
    "first.json",
    videos(["7300000000000000001"], '"has_more":1,"cursor":20'),
  );
  const next = await file("next.json", videos(["7300000000000000003"], '"has_more":0'));
  const { code, output } = await map("shortclip.search", "--file", first, "--file", next);
  expect(code).toBe(0);
  expect(output.data).toMatchObject([{ id: "7300000000000000001" }, { id: "7300000000000000003" }]);
  expect(output.pagination).toEqual({ has_more: false, next_cursor: null });
  expect(output).not.toHaveProperty("dropped");
});

test("a list whose next page is not given continues at its cursor", async () => {
  const first = await file("one.json", videos(["1", "2", "3"], '"has_more":1,"cursor":20'));
  const input = await file("input.json", JSON.stringify({ q: "tea", limit: 2 }));
  const page = await map("shortclip.search", "--file", first, "--input", input);
  const { has_more, next_cursor } = page.output.pagination as Record<string, unknown>;
  expect(has_more).toBe(true);
  const again = await file(
    "again.json",
    JSON.stringify({ q: "tea", limit: 2, cursor: next_cursor }),
  );
  const rest = await map("shortclip.search", "--file", first, "--input", again);
  expect(rest.output.data).toMatchObject([{ id: "3" }]);
  const foreign = await file("foreign.json", JSON.stringify({ q: "milk", cursor: next_cursor }));
  const refused = await map("shortclip.search", "--file", first, "--input", foreign);
  expect(refused).toMatchObject({
    code: 1,
    output: { error: { type: "validation_error", issues: [{ path: "cursor" }] } },
  });
});

test.each([
  ['{"code":404,"message":"nothing"}', "upstream_error"],
  ['{"code":200,"data":{"other":1}}', "response_shape_error"],
  ['{"code":200,"data":', "response_shape_error"],
  ["<html>", "response_shape_error"],
])("the answer %s is judged as in a live call", async (text, type) => {
  const { code, output } = await map("shortclip.search", "--file", await file("bad.json", text));
  expect(code).toBe(1);
  expect(output).toMatchObject({ error: { type } });
});

test.each([
  [["shortclip.nothing", "--file", "x"], /no operation shortclip\.nothing/],
  [["browser.html", "--file", "x"], /renders a page/],
  [["shortclip.search", "--file", "missing.json"], /missing\.json cannot be read/],
])("%j is refused in one sentence", async (args, message) => {
  const { code, output } = await map(...args);
  expect(code).toBe(1);
  expect(output).toMatchObject({ error: { message: expect.stringMatching(message) } });
});

test("an input that the operation refuses names the field", async () => {
  const answer = await file("answer.json", videos([], '"has_more":0'));
  const input = await file("bad-input.json", JSON.stringify({ q: "tea", limit: 0 }));
  const { output } = await map("shortclip.search", "--file", answer, "--input", input);
  expect(output).toMatchObject({
    error: { type: "validation_error", issues: [{ path: "limit" }] },
  });
});

test("rows that did not fit are counted by their missing field", async () => {
  const rows = '{"cid":"1"},{"desc":"no id"},{"desc":"nor here"},7';
  const text = `{"code":200,"data":{"challenge_list":[${rows}],"has_more":0}}`;
  const { code, output } = await map(
    "shortclip.search.hashtags",
    "--file",
    await file("rows.json", text),
  );
  expect(code).toBe(0);
  expect(output.data).toMatchObject([{ id: "1" }]);
  expect(output.dropped).toEqual([
    { field: "cid", count: 2 },
    { field: "data.challenge_list[]", count: 1 },
  ]);
});

test("an operation with two upstreams reads the answer as the named one's", async () => {
  const own = await file("x.json", '{"data":{"id":"12","name":"A","username":"a"}}');
  const other = await file(
    "web.json",
    '{"data":{"user_results":{"result":{"__typename":"User","rest_id":"12"}}}}',
  );
  const input = await file("user.json", '{"id":"12"}');
  const read = (name: string, upstream: string) =>
    map("microblog.users.get", "--file", name, "--input", input, "--upstream", upstream);
  expect(await read(own, "x")).toMatchObject({ code: 0, output: { data: { id: "12" } } });
  expect(await read(other, "twitter283")).toMatchObject({
    code: 0,
    output: { data: { id: "12" } },
  });
  const message = "The operation calls x, not tikhub";
  expect(await read(own, "tikhub")).toMatchObject({ code: 1, output: { error: { message } } });
});
