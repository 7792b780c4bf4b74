import { registerHooks } from "node:module";
import { guardNamed, removed, without } from "./guards.ts";

/**
 * `node --import ./test/faults/without-guard.ts api/main.ts` runs the gateway with one guard left
 * out, named by WITHOUT_GUARD. The product itself has no such switch.
 */

const root = new URL("../../", import.meta.url);
const { edits = [] } = guardNamed(process.env["WITHOUT_GUARD"] ?? "");

registerHooks({
  load(url, context, next) {
    const loaded = next(url, context);
    const due = edits.filter(({ file }) => new URL(file, root).href === url);
    if (due.length === 0) return loaded;
    let source = Buffer.from(loaded.source as Uint8Array).toString();
    for (const { file, find, put } of due) {
      source = without(source, find, put, file);
      process.stderr.write(`${removed(file)}\n`);
    }
    return { ...loaded, source };
  },
});
