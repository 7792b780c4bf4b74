import { expect, test } from "vitest";
import { provenances } from "../../contract/evidence.ts";
import type { DriftFinding } from "../../runtime/drift.ts";
import { NotJson } from "../../worker/drift/kinds.ts";
import { learn, newProfile } from "../../worker/drift/profile.ts";
import { Window } from "../../worker/drift/window.ts";
import { full } from "../faults/full.ts";
import { choices, fractions, seeded } from "../random.ts";
import { changeOf, changesIn, type Changed, isNamed } from "./drift-changes.ts";
import { Variety } from "./variety.ts";
import { wireAnswers } from "./wire-answers.ts";

/** Answers between two looks at a profile. */
const cycle = 25;
const about = { operation: "a.b", upstream: "u", route: "GET /" };

/** Large answers take most of the time. */
const all = (await (full ? wireAnswers(400) : wireAnswers(1, 8000))).map(
  ({ op, upstream, body }) => ({
    id: `${op.id} ${upstream.name}`,
    upstream: upstream.name,
    body,
  }),
);

/** Valid answers, and changes. */
const lengths = full ? { answers: 100_000, changes: 600 } : { answers: 10_000, changes: 60 };

class Watched {
  readonly #profile = newProfile(about, 0);
  readonly variety: Variety;
  #now = 0;

  constructor(id: string, body: unknown) {
    this.variety = new Variety(body, id);
  }

  /** One cycle of answers, each as `change` leaves it; returns what was found. */
  cycle(change: (answer: unknown) => unknown = (answer) => answer): DriftFinding[] {
    const window = new Window();
    for (let index = 0; index < cycle; index += 1) window.add(change(this.variety.answer()));
    this.#now += 60_000;
    return learn(this.#profile, window, this.#now);
  }
}

test(seeded("10,000 valid answers of varied length and fields raise no alarm"), () => {
  const names = new Set(all.map(({ upstream }) => upstream));
  expect(names.size).toBeGreaterThanOrEqual(35);
  const without = Object.keys(provenances).filter((name) => !names.has(name));
  // Their answers are texts, which have no fields.
  if (full) expect(without).toEqual(["hugging-face-files", "wayback"]);
  // Below 6 cycles a profile knows too little to raise one.
  const cycles = Math.max(6, Math.ceil(lengths.answers / cycle / all.length));
  const found = all.flatMap(({ id, body }) => {
    const watched = new Watched(id, body);
    return Array.from({ length: cycles }, () => watched.cycle())
      .flat()
      .map((finding) => ({ id, ...finding }));
  });
  console.info(`${all.length * cycles * cycle} valid answers of ${names.size} upstreams`);
  expect(found).toEqual([]);
});

test(
  seeded("of 60 changes 57 or more are found within one cycle, with the path of the field"),
  () => {
    const choose = choices("changes");
    const missed: { id: string; made: Changed; found: DriftFinding[] }[] = [];
    const upstreams = new Set<string>();
    // Each upstream in turn, in another order each time.
    const order = all
      .map((one) => ({ one, at: choose(2 ** 30) }))
      .toSorted((a, b) => a.at - b.at)
      .map(({ one }) => one);
    let made = 0;
    for (let index = 0; made < lengths.changes; index += 1) {
      const { id, upstream, body } = order[index % order.length] as (typeof all)[number];
      const watched = new Watched(id, body);
      for (let calm = 0; calm < 4; calm += 1) expect(watched.cycle()).toEqual([]);
      const change = changeOf(changesIn(watched.variety.usual(), made), choose);
      if (!change) continue;
      made += 1;
      upstreams.add(upstream);
      const found = watched.cycle((answer) => change.apply(answer));
      if (!found.some(({ path }) => isNamed(change, path)))
        missed.push({ id, made: change, found });
    }
    console.info(`${made} changes at ${upstreams.size} upstreams, ${missed.length} not named`);
    for (const { id, made: change } of missed) console.info(id, change.kind, change.path);
    expect(missed.slice(0, lengths.changes * 0.05)).toEqual(missed);
  },
);

test("an answer that is no JSON is a finding at the answer itself", () => {
  const watched = new Watched("a.b", { id: 1 });
  for (let calm = 0; calm < 8; calm += 1) watched.cycle(() => ({ id: 1 }));
  expect(watched.cycle(() => new NotJson("web page"))).toEqual([
    {
      path: "(answer)",
      change: "retyped",
      was: "object in 200 answers",
      now: "web page in 25 of 25 answers",
      first: 540_000,
      last: 540_000,
    },
  ]);
});

test("the loss of an object's only field is found at that field", () => {
  const watched = new Watched("a.b", { id: 1 });
  for (let calm = 0; calm < 8; calm += 1) watched.cycle(() => ({ id: 1, price: { amount: 1 } }));
  const found = watched.cycle(() => ({ id: 1, price: {} }));
  expect(found.map(({ path, change }) => ({ path, change }))).toEqual([
    { path: "price", change: "emptied" },
    { path: "price.amount", change: "gone" },
  ]);
});

test("an answer that loses its only field is found at that field, rare answers without it are not", () => {
  const watched = new Watched("a.b", { id: 1 });
  for (let calm = 0; calm < 8; calm += 1) watched.cycle(() => ({ id: 1 }));
  const window = new Window();
  const profile = newProfile(about, 0);
  for (let index = 0; index < 200; index += 1) window.add({ id: 1 });
  learn(profile, window, 1);
  const nothing = new Window();
  for (let index = 0; index < 19; index += 1) nothing.add({});
  expect(learn(profile, nothing, 2)).toEqual([]);
  expect(watched.cycle(() => ({}))).toMatchObject([{ path: "id", change: "gone" }]);
});

test("look-ups of many things that do not exist are no change, an upstream that knows nothing any more is", () => {
  const watched = new Watched("a.b", { id: 1 });
  for (let calm = 0; calm < 8; calm += 1) watched.cycle(() => ({ id: 1 }));
  const found = Array.from({ length: 4 }, () => watched.cycle(() => null));
  expect(found.slice(0, 3).flat()).toEqual([]);
  expect(found[3]).toMatchObject([{ path: "(answer)", change: "emptied" }]);
});

test("a field that comes again ends its finding, and its absence is not learned", () => {
  const rates = fractions("again", "1");
  const answer = () => ({ rows: [{ id: rates(), name: "a" }] });
  const profile = newProfile(about, 0);
  const look = (now: number, body: () => unknown, count: number) => {
    const window = new Window();
    for (let index = 0; index < count; index += 1) window.add(body());
    return learn(profile, window, now);
  };
  look(1, answer, 100);
  const without = () => ({ rows: [{ id: rates() }] });
  expect(look(2, without, 20).map(({ path, change }) => [path, change])).toEqual([
    ["rows[].name", "gone"],
  ]);
  expect(look(3, without, 500)).toEqual([]);
  expect(profile.findings).toMatchObject([{ first: 2, last: 3 }]);
  look(4, answer, 5);
  expect(profile.findings).toMatchObject([{ first: 2, last: 3, ended: 4 }]);
  expect(look(5, without, 20).map(({ path }) => path)).toEqual(["rows[].name"]);
});
