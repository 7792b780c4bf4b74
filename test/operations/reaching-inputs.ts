import type { Operation } from "../../contract/operation.ts";
import { changed, exampleOf, variants } from "./inputs.ts";
import type { Input } from "./play.ts";

/** Most operations have one upstream for all inputs. */
const mostVariants = 40;

/** Values whose form chooses the upstream, where no list of choices does. */
const forms: Readonly<Record<string, readonly Input[]>> = {
  "media.videos.embed": [
    { url: "https://www.youtube.com/watch?v=abcdefghijk" },
    { url: "https://www.dailymotion.com/video/x7tgad0" },
    { url: "https://www.tiktok.com/@sample/video/6800000000000000001" },
  ],
  "papers.works.get": [{ id: "pmid:123" }],
};

/** Inputs that together reach every upstream of an operation, the example first. */
export function* reachingInputs(op: Operation): Generator<Input> {
  yield exampleOf(op);
  for (const form of forms[op.id] ?? []) {
    const input = changed(op, form);
    if (input) yield input;
  }
  let count = 0;
  for (const input of variants(op)) {
    if (count === mostVariants) return;
    count += 1;
    yield input;
  }
}
