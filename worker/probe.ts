import { GatewayError } from "../contract/errors.ts";
import {
  type ProbeKind,
  type ProbeReport,
  joinedShape,
  mostRecorded,
  shapeOf,
} from "../runtime/probe.ts";
import type { Call } from "./connector.ts";
import type { Dropped } from "./mapping/dropped.ts";
import type { Reply, Upstream, UpstreamRequest } from "./transport/upstream.ts";

interface Way {
  send(upstream: Upstream, request: UpstreamRequest, call: Call): Promise<Reply>;
  fetchFor(upstream: Upstream, call: Call): typeof fetch;
  hasCredentials?(upstream: Upstream, call?: Call): Promise<boolean>;
}

/** A JSON value with its personal values replaced. */
type Replaced = (value: unknown) => unknown;

/** Follows one job of `gateway verify`: the upstreams that it asks, and the shapes of their answers. */
export class Probe {
  readonly #kind: ProbeKind;
  readonly #replaced: Replaced | undefined;
  readonly #report: ProbeReport = { asked: [], shapes: {}, dropped: {}, dollars: 0 };
  readonly #answers: string[] = [];
  readonly #without: readonly string[];
  readonly #possible = new Set<string>();
  #recorded = 0;

  /**
   * `replaced` takes the place of personal values; without it nothing is recorded. For the upstreams of `without`
   * there seems to be no credential, so that an operation with two turns to the other one.
   */
  constructor(kind: ProbeKind, replaced?: Replaced, without: readonly string[] = []) {
    this.#kind = kind;
    this.#without = without;
    this.#replaced = kind === "record" ? replaced : undefined;
  }

  /** The same way to upstreams, followed; a job that only asks gets no further than this. */
  around(way: Way): Way {
    const hasCredentials = async (upstream: Upstream, call?: Call): Promise<boolean> => {
      if (this.#without.includes(upstream.name)) return false;
      const has = (await way.hasCredentials?.(upstream, call)) ?? true;
      if (has) this.#possible.add(upstream.name);
      return has;
    };
    return {
      send: async (upstream, request, call) => {
        await this.#turnsTo(upstream, way);
        const reply = await way.send(upstream, request, call);
        this.#answered(upstream, reply.body);
        this.#report.dollars += upstream.cost?.(reply) ?? 0;
        return reply;
      },
      fetchFor: (upstream, call) => async (input, init) => {
        await this.#turnsTo(upstream, way);
        const response = await way.fetchFor(upstream, call)(input, init);
        const body: unknown = await response
          .clone()
          .json()
          .catch(() => undefined);
        this.#answered(upstream, body);
        return response;
      },
      hasCredentials,
    };
  }

  report(dropped: Dropped, input: unknown): ProbeReport {
    const recorded = this.#replaced && { answers: this.#answers, input: this.#replaced(input) };
    const asked = this.#report.asked.map(({ upstream }) => upstream);
    const others = [...this.#possible].filter((name) => !asked.includes(name));
    return { ...this.#report, others, dropped: Object.fromEntries(dropped), recorded };
  }

  async #turnsTo(upstream: Upstream, way: Way): Promise<void> {
    const { name, credentials } = upstream;
    const { asked } = this.#report;
    if (!asked.some((one) => one.upstream === name)) {
      const hasCredentials = (await way.hasCredentials?.(upstream)) ?? true;
      asked.push({ upstream: name, credentials, hasCredentials });
    }
    if (this.#kind === "ask")
      throw new GatewayError("upstream_unavailable", "This job only asks which upstream it needs");
  }

  #answered({ name }: Upstream, body: unknown): void {
    if (body === undefined) return;
    const { shapes } = this.#report;
    shapes[name] = joinedShape(shapes[name] ?? {}, shapeOf(body));
    if (!this.#replaced) return;
    const text = JSON.stringify(this.#replaced(body), null, 2);
    this.#recorded += text.length;
    if (this.#recorded <= mostRecorded) this.#answers.push(text);
  }
}
