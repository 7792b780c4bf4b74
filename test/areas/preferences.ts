import { existsSync, readdirSync } from "node:fs";
import type { Operation } from "../../contract/operation.ts";
import type { Preference, Source } from "../../worker/mapping/preference.ts";

/** Inputs for which the samples of both sources have a record. */
const inputs: Record<string, Record<string, unknown>> = {
  "microblog.posts.article": { id: "1790000000000000103" },
};

export const inputOf = (op: Operation): Record<string, unknown> =>
  inputs[op.id] ?? (op.example as Record<string, unknown>);

const areas = new URL("../../worker/areas/", import.meta.url);

/** The preference tables of all areas: operation -> its two sources. */
export async function preferences(): Promise<Map<string, readonly [Source, Source]>> {
  const files = readdirSync(areas)
    .map((area) => new URL(`${area}/preference.ts`, areas))
    .filter((file) => existsSync(file));
  const tables = await Promise.all(
    files.map((file) => import(file.href) as Promise<{ preference: Preference }>),
  );
  return new Map(tables.flatMap(({ preference }) => Object.entries(preference)));
}
