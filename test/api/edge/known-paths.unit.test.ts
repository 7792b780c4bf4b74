import Fastify from "fastify";
import { expect, test } from "vitest";
import { KnownPaths } from "../../../api/edge/known-paths.ts";

function known(): KnownPaths {
  const app = Fastify({ exposeHeadRoutes: false });
  const paths = new KnownPaths(app);
  const done = () => "";
  app.patch("/things", done);
  app.post("/things", done);
  app.get("/things", { exposeHeadRoute: true }, done);
  app.get("/things/:id/parts/:part", done);
  app.get("/list.json", done);
  app.route({
    method: ["GET", "DELETE"],
    url: "/refused",
    config: { refuses: true },
    handler: done,
  });
  return paths;
}

test("methods are those of every route of a path, in one order", () => {
  const paths = known();
  expect(paths.methodsOf("/things")).toEqual(["GET", "HEAD", "POST", "PATCH"]);
  expect(paths.methodsOf("/things/1/parts/2")).toEqual(["GET"]);
});

test("a path that only looks alike is unknown", () => {
  const paths = known();
  for (const path of ["/thing", "/things/", "/things/1/parts", "/things/1/parts/2/3", "/refused"])
    expect(paths.methodsOf(path), path).toEqual([]);
  expect(paths.methodsOf("/list.json")).toEqual(["GET"]);
  expect(paths.methodsOf("/listXjson")).toEqual([]);
});

test("the nearest path differs in a few letters", () => {
  const paths = known();
  expect(paths.nearest("/thnigs")).toBe("GET /things");
  expect(paths.nearest("/thing")).toBe("GET /things");
  expect(paths.nearest("/things/1/prats/2")).toBe("GET /things/{id}/parts/{part}");
  expect(paths.nearest("/lists.json")).toBe("GET /list.json");
  for (const path of ["/other", "/things/1/parts/", "/things/1", `/${"things".repeat(2000)}`])
    expect(paths.nearest(path), path).toBeUndefined();
});

test("templates have the names of the parameters", () => {
  expect([...known().templates]).toEqual(["/things", "/things/{id}/parts/{part}", "/list.json"]);
});
