import { expect, test } from "vitest";
import { captures } from "./captures.ts";
import { derive, type Derivation } from "./derivation.ts";
import { mapped } from "./play.ts";
import { needRecord, readRecord, type Recorded, writeRecord } from "./records.ts";

const isUpdate = process.env.UPDATE_DERIVATIONS !== undefined;

function sorted(entries: Iterable<readonly [string, string]>): Record<string, string> {
  return Object.fromEntries([...entries].sort(([a], [b]) => (a < b ? -1 : 1)));
}

const flat = (map: Map<string, Set<string>>) =>
  sorted([...map].map(([path, outputs]) => [path, [...outputs].sort().join(" ")] as const));

/** Reasons that still apply. */
function kept(reasons: Record<string, string> = {}, paths: Iterable<string>): [string, string][] {
  const needed = new Set(paths);
  return Object.entries(reasons).filter(([path]) => needed.has(path));
}

function record(found: Derivation, before: Recorded | undefined): Recorded {
  const echoes = [...found.unchanged].flatMap(([output, field]): [string, string][] =>
    field === undefined ? [] : [[output, `made from ${field}`]],
  );
  return {
    derives: flat(found.derives),
    needs: flat(found.needs),
    rows: sorted(found.rows),
    unchanged: sorted(new Map([...echoes, ...kept(before?.unchanged, found.unchanged.keys())])),
    shared: sorted(kept(before?.shared, found.shared)),
    summary: sorted(kept(before?.summary, found.summary)),
  };
}

/** Generous, because a machine that runs everything at once is slow. */
const timeoutMs = 60_000;

test.each(mapped)(
  "$id: every value of the answer comes from its recorded place in the reply",
  async (op) => {
    const settled = Object.keys(readRecord(op)?.unchanged ?? {});
    const found = await derive(await captures(op), settled);
    if (isUpdate) writeRecord(op, record(found, readRecord(op)));
    const recorded = needRecord(op);
    expect(flat(found.derives), "wire value -> outputs").toEqual(recorded.derives);
    expect(flat(found.needs), "wire place -> error without it").toEqual(recorded.needs);
    expect(sorted(found.rows), "output list -> wire list").toEqual(recorded.rows);
    for (const [name, output] of [
      ["unchanged", new Set(found.unchanged.keys())],
      ["shared", found.shared],
      ["summary", found.summary],
    ] as const) {
      const reasons = Object.entries(recorded[name]).filter(([, reason]) => reason.trim() !== "");
      expect([...output].sort(), `${name}, each with a reason`).toEqual(
        reasons.map(([path]) => path).sort(),
      );
    }
  },
  timeoutMs,
);
