import { type Expectation, differences } from "../../contract/expectation.ts";
import { faultOf } from "./faults.ts";
import { type Finding, finding, wireFindings } from "./findings.ts";
import type { Failure } from "../../runtime/queue.ts";
import type { WorkLog } from "../../runtime/call-log.ts";
import type { ProbeReport, Shape } from "../../runtime/probe.ts";

/** Judges the answer of one operation, in the operator's words. Findings hold paths and figures, never values. */

export type Verdict = "works" | "works_but" | "fails" | "unclear" | "not_called";

/** `fault` is why an operation fails, in a word; all operations of an upstream share some of them. */
export interface Judged {
  verdict: Verdict;
  fault?: string | undefined;
  /** One sentence on what was found. */
  cause?: string | undefined;
  /** One sentence on what to do. */
  remedy?: string | undefined;
  findings: Finding[];
}

export interface Answered {
  data: unknown;
  records: number;
  /** A list with more pages answers `true` with a cursor. */
  hasMore: boolean | undefined;
  ms: number;
}

/** The sample's answer to the same call. */
export interface Model {
  expected: Expectation;
  hasMore: boolean | undefined;
  shapes: Readonly<Record<string, Shape>>;
  /** Fields for lack of which the sample's rows are left out too: adverts, removed entries. */
  dropped: readonly string[];
}

/** Messages of a rendered page whose site did not answer. */
const noSite = /^(The URL's host name does not exist|The site could not be reached)/;

export function judgeFailure(
  failure: Pick<Failure, "type" | "message">,
  work: WorkLog | undefined,
  probe: ProbeReport | undefined,
  model: Model,
): Judged {
  const cause = work?.cause ?? "";
  const last = String(work?.tries.at(-1)?.status ?? "");
  const upstream = work?.tries.at(-1)?.upstream ?? probe?.asked.at(-1)?.upstream ?? "";
  const wire = wireFindings(probe?.shapes ?? {}, model.shapes);
  // A page is rendered without an upstream of ours.
  const isSite = noSite.test(failure.message);
  const known = isSite ? faultOf("address", "") : faultOf(cause, last);
  const named = isSite ? "the example's site: " : upstream === "" ? "" : `${upstream}: `;
  if (failure.type === "not_found")
    return {
      verdict: "unclear",
      fault: "not_found",
      cause: `${named}it does not know the record of this call`,
      remedy: "Call the operation with a record that exists: `gateway call`.",
      findings: [],
    };
  if (known) {
    const path = /^shape (?:answer: )?(.+)$/.exec(cause)?.[1];
    const lost: Finding[] =
      path === undefined ? [] : [{ kind: "lost", path, text: `${path} did not come as expected` }];
    const at = path === undefined ? "" : ` (${path})`;
    const { fault, remedy } = known;
    const findings = [...lost, ...wire];
    const verdict = known.unsent ? "not_called" : "fails";
    return { verdict, fault, cause: `${named}${known.cause}${at}`, remedy, findings };
  }
  if (failure.type === "response_shape_error")
    return {
      verdict: "fails",
      fault: "no_data",
      cause: `${named}it answered ${last} with something else than data: a web page, a log-in page or an error page`,
      remedy: "Check the base URL, the plan and the workers' address; the provider may have moved.",
      findings: wire,
    };
  return {
    verdict: "fails",
    fault: failure.type,
    cause: `${named}${failure.message}${cause === "" ? "" : ` (${cause})`}`,
    remedy: "Look at the workers' log for this call.",
    findings: wire,
  };
}

export function judgeAnswer(
  answer: Answered,
  probe: ProbeReport | undefined,
  model: Model,
  deadlineMs: number,
): Judged {
  const { expected } = model;
  const { lost, missing, emptied } = differences(expected, answer.data);
  const findings: Finding[] = [
    ...lost.map((path) => finding("lost", path, "never came")),
    ...missing.map((path) => finding("missing", path, "never came")),
    ...emptied.map((path) => finding("emptied", path, "came empty everywhere")),
    ...Object.entries(probe?.dropped ?? {})
      .filter(([path]) => !model.dropped.includes(path) || answer.records === 0)
      .map(([path, count]) =>
        finding("dropped", path, `was missing in ${count} rows, which were left out`),
      ),
  ];
  if (answer.records < expected.atLeast) {
    const text = `${answer.records} records came, at least ${expected.atLeast} were expected`;
    findings.push({ kind: "few", text });
  } else if (answer.records === 0) findings.push({ kind: "few", text: "no record came" });
  if (model.hasMore === true && answer.hasMore === false)
    findings.push({ kind: "cursor", text: "no cursor came, so the list ends after this page" });
  if (answer.ms > deadlineMs / 2) {
    const text = `it took ${(answer.ms / 1000).toFixed(1)} s of ${deadlineMs / 1000} s`;
    findings.push({ kind: "slow", text });
  }
  const wire = wireFindings(probe?.shapes ?? {}, model.shapes);
  const all = [...findings, ...wire];
  if (lost.length > 0)
    return {
      verdict: "fails",
      fault: "changed",
      cause: `the answer lacks ${lost.join(", ")}`,
      remedy: "Compare the answer with the mapping: `gateway map`.",
      findings: all,
    };
  // New and lacking members of the upstream alone are no fault: it sends more than the mapping reads, and the
  // samples show every optional member.
  const isWhole = findings.length === 0 && !wire.some(({ kind }) => kind === "upstream_type");
  return { verdict: isWhole ? "works" : "works_but", findings: all };
}
