import { registerHooks } from "node:module";
import { faultPointNamed } from "./fault-points.ts";
import { edited, guardNamed, without } from "./guards.ts";
import { shortTimesNamed } from "./short-times.ts";

/**
 * `node --import ./test/faults/edit-sources.ts api/main.ts` runs the gateway without the guard that
 * WITHOUT_GUARD names, kills it at the point of a call that FAULT_POINT names, and shortens the times that
 * SHORT_TIMES names. The product itself has no such switch.
 */

const root = new URL("../../", import.meta.url);
const { WITHOUT_GUARD: guard, FAULT_POINT: point, SHORT_TIMES: times } = process.env;
const edits = [
  ...(guard ? (guardNamed(guard).edits ?? []) : []),
  ...(point ? faultPointNamed(point) : []),
  ...(times ? shortTimesNamed(times) : []),
];

const byUrl = Map.groupBy(edits, ({ file }) => new URL(file, root).href);

registerHooks({
  load(url, context, next) {
    const loaded = next(url, context);
    const due = byUrl.get(url);
    if (due === undefined) return loaded;
    let source = Buffer.from(loaded.source as Uint8Array).toString();
    for (const { file, find, put } of due) {
      source = without(source, find, put, file);
      process.stderr.write(`${edited(file)}\n`);
    }
    return { ...loaded, source };
  },
});
