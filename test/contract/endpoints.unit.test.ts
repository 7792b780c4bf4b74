import { expect, test } from "vitest";
import type { Handlers } from "../../api/endpoints.ts";
import { endpoint } from "../../contract/endpoint.ts";
import { endpoints } from "../../contract/endpoints.ts";
import { operations } from "../../contract/index.ts";
import { jobInput } from "../../contract/jobs.ts";
import { pathParameters } from "../../contract/operation.ts";
import * as z from "zod";

test("every endpoint has an id and a route of its own", () => {
  const all = [...operations.values(), ...endpoints];
  expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
  expect(new Set(all.map(({ method, path }) => `${method} ${path}`)).size).toBe(all.length);
});

test("every parameter of a path is a required field of the input", () => {
  for (const { id, path, input } of endpoints) {
    for (const name of pathParameters(path))
      expect(input?.shape[name]?.safeParse(undefined).success, `${id} ${name}`).toBe(false);
  }
});

const declared = [
  endpoint({
    id: "gateway.a",
    method: "GET",
    path: "/a/{request_id}",
    summary: "",
    input: jobInput,
    data: z.string(),
  }),
  endpoint({ id: "gateway.b", method: "GET", path: "/b", summary: "", data: z.int(), open: true }),
] as const;
type Declared = Handlers<typeof declared, undefined>;

/** Compiled, never run: `tsc` says what the compiler refuses. */
test("the compiler refuses what does not fit the declarations", () => {
  const a: Declared["gateway.a"] = async ({ input, caller }) => ({
    data: `${input.request_id} ${caller.keyId}`,
  });
  const b: Declared["gateway.b"] = async () => ({ data: 1 });
  const good = { "gateway.a": a, "gateway.b": b } satisfies Declared;
  // @ts-expect-error -- one is missing
  const missing: Declared = { "gateway.a": a };
  // @ts-expect-error -- one is misspelt
  const misspelt = { "gateway.a": a, "gateway.b": b, "gateway.c": b } satisfies Declared;
  // @ts-expect-error -- of another kind than declared
  const otherData: Declared["gateway.b"] = async () => ({ data: "1" });
  // @ts-expect-error -- no field of the input
  const otherInput: Declared["gateway.a"] = async ({ input }) => ({ data: String(input.wait) });
  // @ts-expect-error -- nobody is known where no key is asked for
  const otherCaller: Declared["gateway.b"] = async ({ caller }) => ({ data: caller.accountId });
  expect([good, missing, misspelt, otherData, otherInput, otherCaller]).toHaveLength(6);
});
