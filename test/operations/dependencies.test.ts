import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { provenances } from "../../contract/evidence.ts";
import type { Operation } from "../../contract/operation.ts";
import type { Outbound } from "../../worker/run.ts";
import { exampleOf } from "./inputs.ts";
import { mapped, play, sandbox } from "./play.ts";
import { reachingInputs } from "./reaching-inputs.ts";

/**
 * contract/dependencies.json: which operations ask which upstream. Renew with
 * `UPDATE_DEPENDENCIES=1 npx vitest run --project mappings test/operations/dependencies`.
 */
const file = join(import.meta.dirname, "..", "..", "contract", "dependencies.json");

/** Notes the upstreams to which calls turn; those of `without` have no credential. */
function noting(asked: Set<string>, without: ReadonlySet<string>): Outbound {
  return {
    send(upstream, request, call) {
      asked.add(upstream.name);
      return sandbox.send(upstream, request, call);
    },
    fetchFor(upstream, call) {
      asked.add(upstream.name);
      return sandbox.fetchFor(upstream, call);
    },
    hasCredentials: async ({ name }) => !without.has(name),
  };
}

async function upstreamsOf(op: Operation): Promise<Set<string>> {
  const asked = new Set<string>();
  for (const input of reachingInputs(op))
    await play(op, input, { outbound: noting(asked, new Set()) });
  // The operation may ask another one where the credential of the first is not set.
  await play(op, exampleOf(op), { outbound: noting(asked, new Set(asked)) });
  return asked;
}

test("contract/dependencies.json has the operations of every upstream", async () => {
  const found: Record<string, string[]> = {};
  for (const name of Object.keys(provenances).toSorted()) found[name] = [];
  for (const op of mapped) {
    for (const name of await upstreamsOf(op)) found[name]?.push(op.id);
  }
  if (process.env["UPDATE_DEPENDENCIES"])
    writeFileSync(file, `${JSON.stringify(found, null, 2)}\n`);
  expect(JSON.parse(readFileSync(file, "utf8"))).toEqual(found);
  const idle = Object.entries(found).filter(([, operations]) => operations.length === 0);
  expect(idle.map(([name]) => name)).toEqual([]);
});
