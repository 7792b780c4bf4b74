import table from "./dependencies.json" with { type: "json" };

/**
 * Upstream -> the operations that ask it, with some input or other. Written by playing every operation on its
 * samples (`test/operations/dependencies.test.ts`), so it follows the handlers.
 */
const byUpstream: Readonly<Record<string, readonly string[]>> = table;

/** Ids of the operations that depend on an upstream. */
export const operationsOf = (upstream: string): readonly string[] => byUpstream[upstream] ?? [];
