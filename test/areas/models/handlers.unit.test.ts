import { expect, test } from "vitest";
import { card, dataset, model, modelHit } from "../../../worker/areas/models/repositories.map.ts";
import { nextParameter } from "../../../worker/mapping/link-header.ts";
import { huggingFace, huggingFaceFiles } from "../../../worker/upstreams/hugging-face/client.ts";
import { type Answer, ask } from "../answering.ts";
import { issues } from "../input.ts";
import { play } from "../play.ts";

const reply = (status: number, headers = {}, body: unknown = {}) => ({ status, headers, body });

test("models surprise 1: a name that does not exist is 401", () => {
  expect(huggingFace.judge(reply(401))).toMatchObject({ type: "not_found" });
  expect(huggingFaceFiles.judge(reply(404))).toMatchObject({ type: "not_found" });
  const error = "Invalid credentials in Authorization header";
  const refused = huggingFace.judge(reply(401, {}, { error }));
  expect(refused).toMatchObject({ operator: "credential refused" });
});

test("models surprise 2: gated is false or the kind of approval", () => {
  const of = (gated: unknown) => modelHit({ id: "a/b", gated }).is_gated;
  expect([of(false), of("auto"), of("manual"), of(undefined)]).toEqual([false, true, true, false]);
  const gated = huggingFaceFiles.judge(reply(401, { "x-error-code": "GatedRepo" }));
  expect(gated).toMatchObject({ type: "upstream_error" });
});

test("models surprise 3: one text or a list of them", () => {
  const of = (language: unknown) => dataset({ id: "a/b", cardData: { language } }).languages;
  expect([of("en"), of(["en", "fi"]), of(undefined)]).toEqual([["en"], ["en", "fi"], []]);
  const row = { id: "a/b", cardData: { base_model: "c/d", datasets: ["e/f"] } };
  expect(model(row)).toMatchObject({ base_models: ["c/d"], datasets: ["e/f"] });
});

test("models surprise 4: the next page stands in the header Link", async () => {
  const link = '<https://huggingface.co/api/models?cursor=ab%3D%3D&limit=100>; rel="next"';
  expect(nextParameter(link, "cursor")).toBe("ab==");
  expect(nextParameter('</a?page=2>; rel="prev", </a?page=4>; rel="next"', "page")).toBe("4");
  expect(nextParameter('</a?page=2>; rel="prev"', "page")).toBeUndefined();
  expect(nextParameter(undefined, "page")).toBeUndefined();
  const { played, asked } = await ask(
    "models.search",
    { query: "x", library: "transformers", license: "mit", limit: 2 },
    ({ query }) =>
      query?.cursor === undefined
        ? { body: [{ id: "a/b" }], headers: { link } }
        : { body: [{ modelId: "gpt2" }] },
  );
  expect(played).toMatchObject({ ok: true, data: [{ id: "a/b", author: "a" }, { id: "gpt2" }] });
  expect(asked[0]?.repeated).toEqual({ filter: ["license:mit", "transformers"] });
  expect(asked[1]?.query).toMatchObject({ cursor: "ab==" });
});

test("models surprise 5: a renamed repository is followed", async () => {
  const renamed =
    (answer: Answer): Answer =>
    ({ path, ...request }) =>
      path.includes("/openai-community/")
        ? answer({ path, ...request })
        : { status: 307, headers: { location: path.replace("gpt2", "openai-community/gpt2") } };
  const row = { id: "openai-community/gpt2" };
  const model = await ask(
    "models.get",
    { name: "gpt2" },
    renamed(() => ({ body: row })),
  );
  expect(model.played).toMatchObject({ ok: true, data: row });
  const card = await ask(
    "models.card",
    { name: "gpt2" },
    renamed(({ path }) =>
      path.startsWith("/api/resolve-cache/")
        ? { body: "# Card" }
        : { status: 307, headers: { location: `/api/resolve-cache/models${path}` } },
    ),
  );
  expect(card.played).toMatchObject({ ok: true, data: { markdown: "# Card" } });
  expect(card.asked).toHaveLength(3);
});

test("models surprise 5: a file's address leads to another one of the same host", async () => {
  const get = (location: string) =>
    ask("models.card", { name: "a/b" }, ({ path }) =>
      path.startsWith("/api/resolve-cache/")
        ? { body: "# Card" }
        : { status: 307, headers: { location }, body: undefined },
    );
  const inner = await get("/api/resolve-cache/models/a/b/0f/README.md?x=1");
  expect(inner.played).toMatchObject({ ok: true, data: { markdown: "# Card" } });
  const outer = await get("https://elsewhere.example/api/resolve-cache/x");
  expect(outer.played).toMatchObject({ ok: false, type: "not_found" });
  expect(outer.asked).toHaveLength(1);
  const judged = huggingFaceFiles.judge(reply(200, {}, "text"));
  expect(judged).toEqual({ ok: true });
  expect(huggingFaceFiles.judge(reply(200, {}, null))).toMatchObject({
    type: "response_shape_error",
  });
});

test("models surprise 6: heads of cards", () => {
  const of = (text: string) => card("model", "a/b", text);
  expect(of("---\r\nlicense: mit\r\n---\r\n# A\r\n")).toMatchObject({
    head: "license: mit",
    markdown: "# A",
  });
  expect(of("# A\n\n---\n\nb\n---\n")).toMatchObject({ markdown: "# A\n\n---\n\nb\n---" });
  expect(of("# A")).not.toHaveProperty("head");
  expect(card("dataset", "a/b", "x").url).toBe("https://huggingface.co/datasets/a/b");
});

test("models: an empty card is free, and a page of the site is no card", async () => {
  const get = (answer: Partial<ReturnType<typeof reply>>) =>
    ask("models.card", { name: "a/b" }, () => answer);
  const records = async (body: string) => {
    const { played } = await get({ body });
    return played.ok && played.records;
  };
  expect([await records(""), await records(" \n"), await records("# A")]).toEqual([0, 0, 1]);
  expect(await records("---\nlicense: mit\n---\n")).toBe(1);
  const page = reply(200, { "content-type": "text/html; charset=utf-8" }, "<!doctype html>");
  expect(huggingFaceFiles.judge(page)).toMatchObject({ type: "response_shape_error" });
});

test("names that cannot be any are refused", () => {
  expect(issues("models.get", { name: "gpt2" })).toEqual([]);
  for (const name of ["a/b/c", "../a", "a b", "/a"]) {
    expect(issues("models.get", { name }), name).toEqual(["name"]);
  }
});

test("a name without an owner is answered in test mode as well", async () => {
  for (const id of ["models.get", "models.datasets.get"]) {
    const played = await play(id, { name: "gpt2" });
    expect(played, id).toMatchObject({ ok: true, data: { id: "gpt2" }, faults: [] });
  }
  for (const kind of ["model", "dataset"]) {
    const played = await play("models.card", { name: "gpt2", kind });
    expect(played, kind).toMatchObject({ ok: true, data: { id: "gpt2" }, faults: [] });
  }
});
