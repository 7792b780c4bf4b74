import { type Job, type SubmitOptions, submit } from "./jobs.ts";
import { type Route, outgoing } from "./requests.ts";
import { type CallOptions, type Transport, keyed } from "./transport.ts";

/** The records of an answer: `data` itself, or `data.results`. */
export type RecordOf<Answer> = Answer extends { data: readonly (infer Row)[] }
  ? Row
  : Answer extends { data: { results: readonly (infer Row)[] } }
    ? Row
    : never;

/** The price of a call, in credits. */
export interface Price {
  credits: { least: number; most: number };
  why: string;
  /** Whether the credits suffice for the call to begin, and for its full result. */
  covered: { least: boolean; most: boolean; by: number };
}

/** A call that behaves like a promise. */
interface Started<Answer> extends PromiseLike<Answer> {
  catch<Else>(onRejected: (reason: unknown) => Else | PromiseLike<Else>): Promise<Answer | Else>;
  finally(onEnd: () => void): Promise<Answer>;
}

/** The alternatives to sending a call. */
interface More<Answer> {
  submit(options: SubmitOptions | undefined): Promise<Job<Answer>>;
  price(): Promise<Price>;
}

/** A lazy call: the first await sends it, and further awaits share the answer. */
export class Call<Answer> implements Started<Answer> {
  readonly #send: () => Promise<Answer>;
  readonly #more: More<Answer>;
  #answer: Promise<Answer> | undefined;

  constructor(send: () => Promise<Answer>, more: More<Answer>) {
    this.#send = send;
    this.#more = more;
  }

  /** Submits the call as a job: resolves as soon as the gateway has accepted it. */
  submit(options?: SubmitOptions): Promise<Job<Answer>> {
    return this.#more.submit(options);
  }

  /** Returns the price of the call. Nothing runs, and nothing is charged. */
  price(): Promise<Price> {
    return this.#more.price();
  }

  // oxlint-disable-next-line unicorn/no-thenable -- a call is meant to be awaited
  then<Value = Answer, Else = never>(
    onFulfilled?: ((answer: Answer) => Value | PromiseLike<Value>) | null,
    onRejected?: ((reason: unknown) => Else | PromiseLike<Else>) | null,
  ): Promise<Value | Else> {
    this.#answer ??= this.#send();
    return this.#answer.then(onFulfilled, onRejected);
  }

  catch<Else>(onRejected: (reason: unknown) => Else | PromiseLike<Else>): Promise<Answer | Else> {
    return this.then(undefined, onRejected);
  }

  finally(onEnd: () => void): Promise<Answer> {
    return this.then().finally(onEnd);
  }
}

/** A call that answers with a list: await it for the first page, iterate over it for every record. */
export class ListCall<Answer> extends Call<Answer> {
  readonly #page: (cursor: string | undefined) => Promise<Answer>;

  constructor(page: (cursor: string | undefined) => Promise<Answer>, more: More<Answer>) {
    super(() => page(undefined), more);
    this.#page = page;
  }

  /** Every page until the last. Each page is requested, and charged, when the loop reaches it. */
  async *pages(): AsyncGenerator<Answer, void, undefined> {
    let answer = await this.then();
    for (;;) {
      yield answer;
      const cursor = cursorAfter(answer);
      if (cursor === null) return;
      answer = await this.#page(cursor);
    }
  }

  /** Every record of every page. Leaving the loop early requests no further page. */
  async *[Symbol.asyncIterator](): AsyncGenerator<RecordOf<Answer>, void, undefined> {
    for await (const page of this.pages()) yield* recordsOf(page);
  }

  /** The records as an array, at most `limit` of them. */
  async toArray({ limit = Infinity }: { limit?: number } = {}): Promise<RecordOf<Answer>[]> {
    const found: RecordOf<Answer>[] = [];
    if (limit <= 0) return found;
    for await (const record of this) {
      found.push(record);
      if (found.length >= limit) break;
    }
    return found;
  }
}

/** The cursor of the next page; null where the list ends or has no pages. */
function cursorAfter(answer: unknown): string | null {
  const { pagination } = answer as { pagination?: { next_cursor: string | null } };
  return pagination?.next_cursor ?? null;
}

function recordsOf<Answer>(answer: Answer): RecordOf<Answer>[] {
  const { data } = answer as { data: unknown };
  const rows = Array.isArray(data) ? data : (data as { results?: unknown }).results;
  return (rows ?? []) as RecordOf<Answer>[];
}

/** A call of an operation that answers with a single object. */
export function one<Answer>(
  transport: Transport,
  route: Route,
  input: object,
  options?: CallOptions,
): Call<Answer> {
  return new Call(
    () => transport.json<Answer>(outgoing(route, input), keyed(options)),
    more<Answer>(transport, route, input, options),
  );
}

/** A call of an operation that answers with a list. */
export function list<Answer>(
  transport: Transport,
  route: Route,
  input: object,
  options?: CallOptions,
): ListCall<Answer> {
  const page = (cursor: string | undefined) => {
    if (cursor === undefined) return transport.json<Answer>(outgoing(route, input), keyed(options));
    // Every page is a call of its own, so the caller's Idempotency-Key applies to the first page only.
    const { idempotencyKey: _, ...rest } = options ?? {};
    return transport.json<Answer>(outgoing(route, { ...input, cursor }), keyed(rest));
  };
  return new ListCall(page, more<Answer>(transport, route, input, options));
}

function more<Answer>(
  transport: Transport,
  route: Route,
  input: object,
  options: CallOptions | undefined,
): More<Answer> {
  return {
    submit: (others) =>
      submit<Answer>(transport, outgoing(route, input), { ...options, ...others }),
    price: async () => {
      const headers = { ...options?.headers, "svc-dry-run": "true" };
      const dryRun = { ...options, headers };
      const { data } = await transport.json<{ data: Price }>(outgoing(route, input), dryRun);
      return data;
    },
  };
}
