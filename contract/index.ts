import { browser } from "./areas/browser.ts";
import { shortclip } from "./areas/shortclip.ts";
import type { Area, Operation } from "./operation.ts";

export const areas: readonly Area[] = [browser, shortclip];

/** Every data operation by id. */
export const operations: ReadonlyMap<string, Operation> = new Map(
  areas.flatMap((area) => area.operations).map((op) => [op.id, op]),
);
