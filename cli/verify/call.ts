import type { CursorPayload } from "../../contract/cursor.ts";
import { liveInput, liveValue } from "../../contract/probe-inputs.ts";
import { expectationOf } from "../../contract/expectation.ts";
import type { Operation } from "../../contract/operation.ts";
import { recordsIn } from "../../contract/records.ts";
import type { Recorded } from "../../runtime/probe.ts";
import type { Ended, Sender } from "./jobs.ts";
import { isOfUpstream } from "./faults.ts";
import { type Judged, type Model, judgeAnswer, judgeFailure } from "./judge.ts";
import type { Step } from "./plan.ts";
import { type Play, joinedModel } from "./sample-run.ts";

/** Calls the operations of a plan one after another, and judges each answer. */

export interface Result extends Judged {
  operation: string;
  /** The second upstream of the operation, where the call went to it. */
  through?: string | undefined;
  upstreams: string[];
  /** Milliseconds of the first page. */
  ms: number | undefined;
  records: number | undefined;
  /** Dollars that upstreams reported. */
  dollars: number;
  /** Workers that were lost while they ran the call of the first page: each may have asked its upstreams. */
  lostRuns?: number;
}

/** Keeps the answers of one page of an operation. */
export type KeepRecorded = (operation: string, page: string, recorded: Recorded) => Promise<void>;

export class Caller {
  readonly #jobs: Pick<Sender, "send">;
  readonly #play: Play;
  readonly #pages: 1 | 2;
  readonly #record: KeepRecorded | undefined;
  readonly #before: ((step: Step) => Promise<void>) | undefined;
  readonly #answers = new Map<string, unknown>();
  /** Upstream -> the result that holds for all its operations. */
  readonly #down = new Map<string, Result>();

  /**
   * `pages`: whether a list is also called for its second page; `record` receives the answers of each page; `before`
   * is waited for before the call of a step.
   */
  constructor(
    jobs: Pick<Sender, "send">,
    play: Play,
    {
      pages = 2,
      record,
      before,
    }: {
      pages?: 1 | 2;
      record?: KeepRecorded | undefined;
      before?: (step: Step) => Promise<void>;
    } = {},
  ) {
    this.#jobs = jobs;
    this.#play = play;
    this.#pages = pages;
    this.#record = record;
    this.#before = before;
  }

  async result(step: Step): Promise<Result> {
    const { op, asked, not } = step;
    const upstreams = asked.map(({ upstream }) => upstream);
    const about = {
      operation: op.id,
      through: throughOf(step),
      upstreams,
      ms: undefined,
      records: undefined,
      dollars: 0,
    };
    if (not) return { ...about, verdict: "not_called", ...not, findings: [] };
    const down = upstreams.map((name) => this.#down.get(name)).find((one) => one !== undefined);
    if (down) {
      const { verdict, fault } = down;
      const cause = `${down.cause}, as ${down.operation} showed`;
      return { ...about, verdict, fault, cause, findings: [] };
    }
    const { input, lacking } = this.#inputOf(step);
    if (!input) {
      const cause = `${lacking} gave no value for its input`;
      const remedy = `Verify ${lacking} first, or call the operation with a record that exists.`;
      return { ...about, verdict: "unclear", fault: "no_input", cause, remedy, findings: [] };
    }
    return this.#called(step, input, about);
  }

  async #called(
    step: Step,
    input: Record<string, unknown>,
    about: Pick<Result, "operation" | "through" | "upstreams" | "dollars">,
  ): Promise<Result> {
    const { op, sample, asked } = step;
    await this.#before?.(step);
    const first = await this.#send(step, input, "page-1");
    const own = sample && (await this.#play(op, input, asked).catch(() => undefined));
    const model = sample ? joinedModel(sample, own) : unknownModel(op);
    const { judged, records } = judgedOf(op, model, input, first);
    const probe = first.outcome?.probe;
    let dollars = probe?.dollars ?? 0;
    if (first.outcome?.ok) {
      if (!step.without) this.#answers.set(op.id, first.data);
      const next = first.outcome.pagination?.next;
      if (op.paginated && next && this.#pages === 2) {
        const second = await this.#send(step, input, "page-2", next);
        dollars += second.outcome?.probe?.dollars ?? 0;
        addSecondPage(judged, first, second, judgedOf(op, model, input, second).judged);
      }
    }
    const upstreams = probe?.asked.map(({ upstream }) => upstream) ?? about.upstreams;
    const lostRuns = (first.outcome?.work?.attempt ?? 1) - 1;
    const ms = Math.round(first.ms);
    const result = { ...about, ...judged, upstreams, ms, records, dollars, lostRuns };
    if (isOfUpstream(judged.fault)) {
      const last = first.outcome?.work?.tries.at(-1)?.upstream ?? upstreams.at(-1);
      if (last !== undefined) this.#down.set(last, result);
    }
    return result;
  }

  async #send(
    step: Step,
    input: Record<string, unknown>,
    page: string,
    cursor?: CursorPayload,
  ): Promise<Ended> {
    const kind = this.#record ? "record" : "call";
    const { op, without } = step;
    const ended = await this.#jobs.send(op, input, kind, { cursor, without });
    const recorded = ended.outcome?.probe?.recorded;
    const through = throughOf(step);
    const folder = through === undefined ? page : `${page}-${through}`;
    if (recorded) await this.#record?.(op.id, folder, recorded);
    return ended;
  }

  /** The example with values that exist at the live upstream. */
  #inputOf({ op, sample }: Step): { input?: Record<string, unknown>; lacking?: string } {
    // Without an upstream the example answers itself.
    if (sample?.calls.size === 0) return { input: op.input.parse(op.example) };
    const changed: Record<string, unknown> = { ...(op.example as object) };
    for (const [name, live] of liveInput(op.id, op.example as object)) {
      const value = liveValue(live, (id) => this.#answers.get(id));
      if (value === undefined) return "of" in live ? { lacking: live.of } : {};
      changed[name] = value;
    }
    const parsed = op.input.safeParse(changed);
    // A value of an answer that the input refuses: the example stands in.
    return { input: parsed.success ? parsed.data : op.input.parse(op.example) };
  }
}

const throughOf = ({ without, asked }: Step): string | undefined =>
  without && asked.map(({ upstream }) => upstream).join(", ");

/** Operations that render a page have no sample. */
const unknownModel = (op: Operation): Model => ({
  expected: expectationOf(op.id, undefined),
  hasMore: undefined,
  shapes: {},
  dropped: [],
});

function judgedOf(
  op: Operation,
  model: Model,
  input: Record<string, unknown>,
  { outcome, data, ms }: Ended,
): { judged: Judged; records: number | undefined } {
  if (!outcome)
    return {
      judged: {
        verdict: "fails",
        fault: "too_slow",
        cause: "no answer before the deadline of the call",
        remedy: "Verify again later, and look at the provider's status page.",
        findings: [],
      },
      records: undefined,
    };
  const { probe, work } = outcome;
  if (!outcome.ok) return { judged: judgeFailure(outcome, work, probe, model), records: undefined };
  const records = recordsIn(data)?.length ?? outcome.records;
  const answer = { data, records, hasMore: outcome.pagination?.has_more, ms };
  return { judged: judgeAnswer(answer, probe, model, op.deadlineMs(input)), records };
}

/** The second page is judged by its failure, and by whether it repeats the first. */
function addSecondPage(
  judged: Judged,
  first: Ended,
  second: Ended,
  { cause = "no answer" }: Judged,
): void {
  const but = () => {
    if (judged.verdict === "works") judged.verdict = "works_but";
  };
  if (!second.outcome?.ok) {
    judged.findings.push({ kind: "cursor", text: `the second page failed: ${cause}` });
    return but();
  }
  const texts = (data: unknown) => (recordsIn(data) ?? []).map((row) => JSON.stringify(row));
  const [one, other] = [new Set(texts(first.data)), texts(second.data)];
  if (other.length === 0 || !other.every((row) => one.has(row))) return;
  judged.findings.push({ kind: "repeats", text: "the second page repeats the first" });
  but();
}
