import { expect, test } from "vitest";
import { operations } from "../../contract/index.ts";
import { declaredExpectations, expectationOf } from "../../contract/expectation.ts";
import { allLiveInputs, liveInput } from "../../contract/probe-inputs.ts";
import { type Operation, mostRecords } from "../../contract/operation.ts";
import { shapeOf } from "../../runtime/probe.ts";
import { type JobOutcome, decodeOutcome } from "../../runtime/queue.ts";
import type { Result } from "../../cli/verify/call.ts";
import { output } from "../../cli/verify/report.ts";
import { inOrder } from "../../cli/verify/plan.ts";
import { type Judged, type Model, judgeAnswer, judgeFailure } from "../../cli/verify/judge.ts";
import { type Outbound, run } from "../../worker/run.ts";
import { handlers, sandbox } from "../operations/play.ts";
import { choices } from "../random.ts";

const deadlineMs = 60_000;

async function called(
  op: Operation,
  way: Outbound,
): Promise<{ outcome: JobOutcome; data: unknown }> {
  const input = op.input.parse(op.example);
  const job = {
    operation: op.id,
    input,
    mode: "live" as const,
    tenant: "verify",
    max_records: mostRecords(op, input),
    deadline: Date.now() + deadlineMs,
    reply: "",
    probe: "call" as const,
  };
  const services = {
    operations,
    handlers,
    live: way,
    test: way,
    log: () => undefined,
    shapeFault: () => undefined,
    rowsDropped: () => undefined,
    now: Date.now,
  };
  const taken = { worker: "test", attempt: 1, queued: 0 };
  const { stored } = await run("svc_test", job, new AbortController().signal, services, taken);
  const { outcome, data } = decodeOutcome(stored);
  return { outcome, data: outcome.ok ? (JSON.parse(data.toString()) as unknown) : undefined };
}

async function modelOf(op: Operation): Promise<Model & { data: unknown }> {
  const { outcome, data } = await called(op, sandbox);
  if (!outcome.ok) throw new Error(`${op.id}: ${outcome.message}`);
  const shapes = outcome.probe?.shapes ?? {};
  const dropped = Object.keys(outcome.probe?.dropped ?? {});
  const hasMore = outcome.pagination?.has_more;
  return { expected: expectationOf(op.id, data), hasMore, shapes, dropped, data };
}

async function judged(
  op: Operation,
  model: Model,
  way: Outbound,
): Promise<Judged & { data: unknown }> {
  const { outcome, data } = await called(op, way);
  const { probe, work } = outcome;
  if (!outcome.ok) return { ...judgeFailure(outcome, work, probe, model), data };
  const answer = { data, records: outcome.records, hasMore: outcome.pagination?.has_more, ms: 1 };
  return { ...judgeAnswer(answer, probe, model, deadlineMs), data };
}

type Edit = (holder: Record<string, unknown>, name: string) => void;

/** Changes of shape that a provider may make to one member. */
const edits: Readonly<Record<string, Edit>> = {
  renamed: (holder, name) => {
    holder[`${name}_v2`] = holder[name];
    delete holder[name];
  },
  moved: (holder, name) => {
    holder["attributes"] = { ...(holder["attributes"] as object), [name]: holder[name] };
    delete holder[name];
  },
  nested: (holder, name) => {
    holder[name] = { value: holder[name] };
  },
  retyped: (holder, name) => {
    const value = holder[name] ?? 0;
    holder[name] = typeof value === "string" ? [value] : typeof value === "object" ? "text" : {};
  },
  emptied: (holder, name) => {
    const value = holder[name];
    holder[name] = Array.isArray(value) ? [] : typeof value === "string" ? "" : null;
  },
};

/** A copy of a body with every member at `path` edited. */
function edited(body: unknown, path: string, edit: Edit): unknown {
  const copy = structuredClone(body);
  const walk = (here: unknown, at: string): void => {
    if (Array.isArray(here)) {
      for (const row of here) walk(row, `${at}[]`);
    } else if (typeof here === "object" && here !== null) {
      const holder = here as Record<string, unknown>;
      for (const name of Object.keys(holder)) {
        const whole = at === "" ? name : `${at}.${name}`;
        if (whole === path) edit(holder, name);
        else walk(holder[name], whole);
      }
    }
  };
  walk(copy, "");
  return copy;
}

const changing = (path: string, edit: Edit): Outbound => ({
  ...sandbox,
  async send(upstream, request, call) {
    const reply = await sandbox.send(upstream, request, call);
    return { ...reply, body: edited(reply.body, path, edit) };
  },
});

const changed = [
  "cnvideo.search",
  "events.search",
  "forum.feed.popular",
  "geo.keywords.search_volume",
  "hotels.search",
  "maps.search",
  "microblog.posts.search_recent",
  "news.search",
  "news_aggregator.stories.items",
  "packages.search",
  "papers.search",
  "photosite.hashtags.posts",
  "professional_network.companies.get",
  "security.advisories.by_package",
  "seo.backlinks.list",
  "seo.keywords.ideas",
  "shortclip.search",
  "shortclip.users.get",
  "threads.search.top",
];

test("changes of shape that alter an answer are named by field path", async () => {
  const choose = choices("changes of shape", "31");
  const missed: string[] = [];
  let seen = 0;
  for (const id of changed) {
    const op = operations.get(id) as Operation;
    const model = await modelOf(op);
    const before = JSON.stringify(model.data);
    const paths = Object.values(model.shapes)
      .flatMap(Object.keys)
      .filter((path) => /\w$/.test(path));
    for (const [kind, edit] of Object.entries(edits)) {
      // Most members are optional: some are read by nobody.
      for (let tries = 0, found = 0; tries < 25 && found < 2; tries += 1) {
        const path = paths[choose(paths.length)] as string;
        const {
          verdict,
          findings,
          cause = "",
          data,
        } = await judged(op, model, changing(path, edit));
        // An empty `data` is how some providers say that a record does not exist.
        if (JSON.stringify(data) === before || verdict === "unclear") continue;
        found += 1;
        seen += 1;
        const isNamed = [cause, ...findings.map(({ text }) => text)].some((text) =>
          text.includes(path),
        );
        if (!isNamed) missed.push(`${id} ${kind} ${path}: ${verdict} ${cause} ${findings.length}`);
      }
    }
  }
  expect(seen).toBeGreaterThan(60);
  expect(missed).toEqual([]);
});

test("live inputs name operations and fields that exist, and their sources come first", () => {
  const used = [...operations.values()].flatMap((op) =>
    [...liveInput(op.id, op.example as object)].map(([name, live]) => ({ op, name, live })),
  );
  for (const start of Object.keys(allLiveInputs))
    for (const [name, live] of Object.entries(allLiveInputs[start] ?? {}))
      expect(
        used.some((one) => one.op.id.startsWith(start) && one.name === name && one.live === live),
        `${start} ${name}`,
      ).toBe(true);
  const ordered = inOrder([...operations.values()]).map(({ id }) => id);
  for (const { op, live } of used) {
    if (!("of" in live)) continue;
    expect(operations.has(live.of), live.of).toBe(true);
    expect(ordered.indexOf(live.of), `${live.of} before ${op.id}`).toBeLessThanOrEqual(
      ordered.indexOf(op.id),
    );
  }
  for (const name of Object.keys(declaredExpectations))
    expect(
      [...operations.keys()].some((id) => id === name || id.startsWith(name)),
      name,
    ).toBe(true);
});

test("a shape holds paths and types, and no value", () => {
  const shape = shapeOf({
    user: { name: "Ada", mail: "ada@example.org", id: "12345678901234567890" },
    rows: [{ n: 1 }, { n: null, tags: ["a"] }],
    byDay: { "2026-01-01": 1, "2026-01-02": 2, "2026-01-03": 3 },
    none: "",
  });
  expect(shape).toEqual({
    "": "object",
    user: "object",
    "user.name": "string",
    "user.mail": "string",
    "user.id": "digits",
    rows: "list",
    "rows[]": "object",
    "rows[].n": "null|number",
    "rows[].tags": "list",
    "rows[].tags[]": "string",
    byDay: "object",
    "byDay.*": "number",
    none: "empty",
  });
});

test.each([
  ["contact", "0", "contact"],
  ["credential_missing", "0", "no_credential"],
  ["credential refused", "401", "wrong_credential"],
  ["out of funds", "402", "quota"],
  ["no subscription for this interface", "200", "plan"],
  ["access refused", "403", "blocked"],
  ["address", "enotfound", "unreachable"],
  ["econnrefused", "econnrefused", "unreachable"],
  ["eai_again", "eai_again", "unreachable"],
  ["truncated", "200", "half_answer"],
  ["shape data.items", "200", "changed"],
  ["http_503", "503", "upstream_down"],
  ["timeout", "timeout", "too_slow"],
])("a call that ended with %s (%s) is told as %s", (cause, status, fault) => {
  const tries = [{ upstream: "tikhub", at: 0, waited: 0, took: 1, status }];
  const work = { worker: "", attempt: 1, queued: 0, ran: 1, asking: 1, tries, cause };
  const model: Model = {
    expected: expectationOf("x", []),
    hasMore: undefined,
    shapes: {},
    dropped: [],
  };
  const failure = { type: "upstream_unavailable", message: "gone" } as const;
  const { verdict, fault: found, remedy } = judgeFailure(failure, work, undefined, model);
  expect([verdict, found]).toEqual([
    /^(contact|no_cred)/.test(fault) ? "not_called" : "fails",
    fault,
  ]);
  expect(remedy).toMatch(/\.$/);
});

test("the report says in one sentence that the workers have no way out", () => {
  const result = (operation: string, upstreams: string[], fault?: string): Result => ({
    operation,
    upstreams,
    fault,
    verdict: fault === undefined ? "works" : "fails",
    findings: [],
    ms: 1,
    records: 1,
    dollars: 0.1 + 0.2,
  });
  const sentence = "No upstream could be reached: the workers have no way out of their network.";
  const computed = result("photosite.resolve.shortcode", []);
  const away = result("papers.search", ["crossref"], "unreachable");
  const closed = output([computed, away, result("papers.open_access.get", [], "contact")], []);
  expect(closed.text).toContain(sentence);
  expect(closed.text).toMatch(/^unreachable +papers\.search$/m);
  expect(closed.failed).toBe(true);
  const second = { ...result("microblog.users.get", ["twitter283"]), through: "twitter283" };
  expect(output([second], []).text).toMatch(
    /^works +microblog\.users\.get \(through twitter283\)$/m,
  );
  const page = result("browser.html", []);
  expect(output([computed, away, page], []).text).not.toContain(sentence);
  expect(output([computed], []).text).not.toContain(sentence);
  expect(output([computed], []).json).toMatchObject({ ok: true, dollars_reported: 0.3 });
});
