import { expect, test } from "vitest";
import { operations } from "../../../contract/index.ts";
import { play as playOperation } from "../../operations/play.ts";
import { ask } from "../answering.ts";
import { issues } from "../input.ts";

test("packages surprise 1: a package of pre-releases only is found, and a search ends at 3,000", async () => {
  const early = { id: "Early", version: "1.0.0-rc", totalDownloads: 3 };
  for (const id of ["packages.get", "packages.downloads"]) {
    const { played, asked } = await ask(id, { registry: "nuget", name: "Early" }, ({ query }) => ({
      body: { data: query?.prerelease === true ? [early] : [] },
    }));
    expect(played, id).toMatchObject({ ok: true, data: { name: "Early" } });
    expect(asked, id).toHaveLength(2);
  }
  const row = (index: number) => ({ id: `Kit${index}`, version: "1.0.0" });
  const page = (from: number) => ({ data: Array.from({ length: 50 }, (_, at) => row(from + at)) });
  const operation = operations.get("packages.search");
  if (!operation) throw new Error("no such operation");
  const input = operation.input.parse({ registry: "nuget", query: "kit", limit: 100 });
  const asked: unknown[] = [];
  const last = await playOperation(operation, input as Record<string, unknown>, {
    cursor: { u: 60 },
    outbound: {
      fetchFor: () => fetch,
      async send(_upstream, { query }) {
        asked.push(query?.skip);
        return { status: 200, headers: {}, body: page(Number(query?.skip)) };
      },
    },
  });
  expect(last).toMatchObject({ ok: true, pagination: { has_more: false } });
  expect(asked).toEqual([3000]);
});

test("packages surprise 5: versions without a dot have no order in JSON, and the highest is the latest", async () => {
  const versions = Object.fromEntries(
    [
      ["dev-main", "dev-main"],
      ["v10.2", "10.2.0.0"],
      ["10", "10.0.0.0"],
      ["9", "9.0.0.0"],
    ].map(([version = "", version_normalized]) => [version, { version, version_normalized }]),
  );
  const answer = () => ({ body: { package: { name: "a/b", versions } } });
  const { played } = await ask("packages.get", { registry: "packagist", name: "a/b" }, answer);
  expect(played).toMatchObject({ ok: true, data: { version: "v10.2" } });
});

test("PyPI's names have one form at services that know no other", async () => {
  for (const id of ["packages.downloads", "packages.versions", "packages.dependencies"]) {
    const input = { registry: "pypi", name: "Typing_Extensions.x" };
    const { asked } = await ask(id, input, () => ({ body: {} }));
    expect(asked[0]?.path, id).toContain("/typing-extensions-x");
  }
});

test("packages: every listed version of Packagist is taken, branches with a slash among them", async () => {
  const input = { registry: "packagist", name: "sample/kit" };
  const names = ["v2.0.0", "2.x-dev", "dev-main", "dev-dependabot/composer/sample/tool-1.2"];
  const rows = Object.fromEntries(
    names.map((version) => [version, { version, require: { php: ">=8" } }]),
  );
  const body = { package: { name: "sample/kit", versions: rows } };
  const listed = await ask("packages.versions", input, () => ({ body }));
  const data = (listed.played as { data?: unknown }).data as { versions: { version: string }[] };
  expect(data.versions.map(({ version }) => version).toSorted()).toEqual(names.toSorted());
  for (const { version } of data.versions) {
    const { played } = await ask("packages.dependencies", { ...input, version }, () => ({ body }));
    expect(played, version).toMatchObject({ ok: true, data: { version } });
    expect(issues("packages.advisories", { ...input, version }), version).toEqual([]);
  }
  for (const version of ["dev-a b", "dev-a\\b", "dev-a\u0000", "a/b", "dev-a/../b"])
    expect(issues("packages.dependencies", { ...input, version }), version).toEqual(["version"]);
  const elsewhere = { registry: "npm", name: "kit", version: "dev-a/b" };
  expect(issues("packages.dependencies", elsewhere)).toEqual(["version"]);
});
