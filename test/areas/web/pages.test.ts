import { beforeAll, describe, expect, test } from "vitest";
import { web } from "../../../contract/areas/web/index.ts";
import type { Operation } from "../../../contract/operation.ts";
import { at, pdf } from "../../worker/documents/files.ts";
import { body, failure, run, site, useSites } from "./site-rig.ts";

/** Pages and documents of a site without a browser. */

useSites();

describe("a page by plain HTTP", () => {
  const page =
    "<html><head><title>T</title></head><body><p>Th\xE9 <a href='/next'>next</a></body></html>";
  beforeAll(() => {
    body["/plain"] = { type: "text/html; charset=iso-8859-1", bytes: Buffer.from(page, "latin1") };
  });

  test("its forms, decoded as its header states", async () => {
    const formats = ["markdown", "links", "metadata", "html"];
    expect(await run("web.fetch", { url: `${site.origin}/plain`, formats })).toMatchObject({
      url: "http://site.test/plain",
      markdown: "Thé [next](http://site.test/next)",
      links: ["http://site.test/next"],
      metadata: { title: "T", status: 200, content_type: "text/html" },
      html: page,
    });
  });

  test.each([
    ["/none", "not_found"],
    ["/atom", "upstream_error"],
    ["/bomb", "upstream_error"],
    ["/away", "validation_error"],
  ])("%s is %s", async (path, type) => {
    expect((await failure("web.fetch", { url: `${site.origin}${path}` })).type).toBe(type);
  });
});

describe("documents", () => {
  const page = at(72, 700, 11, "Leaves") + at(72, 660, 11, "of spring");
  beforeAll(() => {
    Object.assign(body, {
      "/report": { type: "application/octet-stream", bytes: pdf([page, ""]) },
      "/scan.pdf": { type: "application/pdf", bytes: pdf(["0 0 9 9 re f"]) },
      "/large.pdf": { type: "application/pdf", bytes: Buffer.alloc(52_428_801) },
    });
  });
  const read = (path: string, more: object = {}) =>
    run("web.text", { url: `${site.origin}${path}`, ...more });

  test("are read by their content, part by part", async () => {
    expect(await read("/report", { formats: ["text"], limit: 1 })).toEqual({
      url: "http://site.test/report",
      format: "pdf",
      unit: "page",
      size_bytes: pdf([page, ""]).length,
      parts_count: 2,
      parts: [{ number: 1, text: "Leaves\n\nof spring" }],
      is_cut: true,
    });
  });

  test("without text say so, and are no record", async () => {
    const found = await read("/scan.pdf");
    expect(found).toMatchObject({ parts: [{ number: 1, markdown: "" }], is_without_text: true });
    const { records } = web.operations.find(({ id }) => id === "web.text") as Operation;
    expect(records).toMatchObject({ kind: "one" });
    expect(records.kind === "one" && records.isNone?.(found)).toBe(true);
  });

  test.each([
    ["/page", "The URL answered with no document of a known format"],
    ["/none", "The site answered 404: there is no document"],
    ["/large.pdf", "The site's answer is too large"],
  ])("%s is refused", async (path, message) => {
    expect((await failure("web.text", { url: `${site.origin}${path}` })).message).toBe(message);
  });
});

test("the scenario empty has a document without text", async () => {
  const url = "https://example.com/";
  const found = await run("web.text", { url }, { mode: "test", scenario: "empty" });
  expect(found["is_without_text"]).toBe(true);
});
