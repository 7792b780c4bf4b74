import { GatewayError, type ErrorType } from "../../contract/errors.ts";
import type { CursorPayload } from "../../contract/cursor.ts";
import { monotonicNow } from "../../runtime/monotonic.ts";
import type { Call, Standing } from "../connector.ts";

type Upstream = Parameters<Call["send"]>[0];

/** One of the two sources of an operation. */
export interface Source<Name extends string = string> {
  /** Stands in cursors, so it stays the same. */
  name: Name;
  /** The upstream in each form of its credential; the first form that is set is used. */
  forms: readonly [Upstream, ...Upstream[]];
  /** True where its "not found" may only mean that it holds less than the other source. */
  holdsLess?: boolean;
}

/** The sources of each operation that two can answer: the preferred one, then the other. */
export type Preference<Name extends string = string> = {
  readonly [operation: string]: readonly [Source<Name>, Source<Name>];
};

/** How each source answers. `upstream` has the form of its credential that is set. */
export type Ways<Name extends string, T> = {
  readonly [N in Name]: (call: Call, upstream: Upstream) => Promise<T>;
};

/** Failures of an upstream's own; a caller's fault and a missing record are answers. */
const own: ReadonlySet<ErrorType> = new Set([
  "upstream_unavailable",
  "upstream_error",
  "response_shape_error",
]);

/** Share of a call's time in which the first source has to begin to answer when another one waits. */
const firstShare = 0.5;
const mostFirstMs = 15_000;

interface Option<Name extends string> {
  source: Source<Name>;
  upstream: Upstream;
  standing: Standing;
}

/**
 * Answers an operation from the preferred source, or from the other one when that has no credential, rests or
 * fails for a reason of its own. A page is continued where its list began.
 */
export async function either<Name extends string, T>(
  call: Call,
  preference: Preference<Name>,
  ways: Ways<Name, T>,
  /** The upstream of a source, where the input decides. */
  chosenForms: Partial<Record<Name, Upstream>> = {},
): Promise<T> {
  const row = preference[call.operation];
  if (!row) throw new Error(`${call.operation} has no preference`);
  const sources = row.map((source) => {
    const form = chosenForms[source.name];
    return form ? { ...source, forms: [form] as const } : source;
  });
  const way = ({ source, upstream }: Option<Name>, within = call) =>
    ways[source.name](within, upstream).then((answer) => named(answer, source.name));
  const begun = sources.find(({ name }) => name === call.cursor?.via);
  if (begun) return way(await optionOf(call, begun));
  const [first, second] = await Promise.all(sources.map((source) => optionOf(call, source)));
  const order = ordered(first as Option<Name>, second as Option<Name>);
  const [chosen, other] = order;
  const failovers = call.failovers;
  if (!failovers || chosen.standing === "no_credentials" || other.standing === "no_credentials")
    return way(chosen);
  if (chosen !== first)
    failovers.turned({ from: order[1].upstream, to: chosen.upstream, reason: "resting" });
  try {
    const within = other.standing === "ready" ? impatient(call, other.source) : call;
    const answer = await way(chosen, within);
    failovers.answered(chosen.upstream);
    return answer;
  } catch (error) {
    if (!isOwnFailure(error, call, chosen.source)) {
      if (error instanceof GatewayError) failovers.answered(chosen.upstream);
      throw error;
    }
    failovers.turned({ from: chosen.upstream, to: other.upstream, reason: error.type, error });
    return way(other).catch((later: unknown) => {
      // Of two failures the preferred source's says more, unless the other one knows the record better.
      throw isOwnFailure(later, call, other.source) ? error : later;
    });
  }
}

async function optionOf<Name extends string>(
  call: Call,
  source: Source<Name>,
): Promise<Option<Name>> {
  const isOwn = ({ credentials }: Upstream) => call.own?.of(credentials) !== undefined;
  // An account that has a credential of its own for one form of the source is not served by the operator's other.
  const [own, others] = [source.forms.filter(isOwn), source.forms.filter((one) => !isOwn(one))];
  for (const upstream of [...own, ...others]) {
    const standing = await call.standingOf(upstream);
    if (standing !== "no_credentials") return { source, upstream, standing };
  }
  return { source, upstream: source.forms[0], standing: "no_credentials" };
}

/** The preferred source first, unless only the other one can be asked. */
function ordered<Name extends string>(
  first: Option<Name>,
  second: Option<Name>,
): readonly [Option<Name>, Option<Name>] {
  const hasOther = second.standing !== "no_credentials";
  if (first.standing === "no_credentials") return hasOther ? [second, first] : [first, second];
  return first.standing === "resting" && second.standing === "ready"
    ? [second, first]
    : [first, second];
}

function isOwnFailure(error: unknown, call: Call, { holdsLess }: Source): error is GatewayError {
  call.signal.throwIfAborted();
  if (!(error instanceof GatewayError)) return false;
  return own.has(error.type) || (holdsLess === true && error.type === "not_found");
}

/**
 * The call as a source sees it behind which another one waits: less time until its first answer, and no retries,
 * unless the other one may not hold the record.
 */
function impatient(call: Call, { holdsLess }: Source): Call {
  const now = monotonicNow();
  const deadline = now + Math.min(mostFirstMs, (call.deadline - now) * firstShare);
  const patience = holdsLess ? { deadline } : { deadline, retries: 0 };
  let answers = false;
  return {
    ...call,
    async send(upstream, request) {
      const reply = await call.send(upstream, request, answers ? {} : patience);
      answers = true;
      return reply;
    },
  };
}

/** The answer, whose cursor names its source. */
function named<T>(answer: T, via: string): T {
  const pagination = (answer as { pagination?: { next?: CursorPayload } } | null)?.pagination;
  if (!pagination?.next) return answer;
  return { ...answer, pagination: { ...pagination, next: { ...pagination.next, via } } };
}
