import type { Job as JobState } from "./generated/types.gen.ts";
import { isGatewayError } from "./errors.ts";
import type { CallOptions, Transport } from "./transport.ts";

/** Seconds of one question for a result; asked again until it is there. */
const waitSeconds = 50;

/** A call that was handed in: it runs whether or not anybody waits. */
export class Job<Answer> {
  /** The call's `request_id`: with it any process finds the job again for 24 hours. */
  readonly id: string;
  readonly #transport: Transport;
  readonly #fields: CallOptions["fields"];

  /** `fields`: what was chosen of each record when it was handed in. */
  constructor(transport: Transport, id: string, fields?: CallOptions["fields"]) {
    this.#transport = transport;
    this.id = id;
    this.#fields = fields;
  }

  /** How it stands: queued, running, succeeded, failed or cancelled; times, its turn, its price once it is known. */
  async status(options?: CallOptions): Promise<JobState> {
    const path = `/jobs/${encodeURIComponent(this.id)}`;
    const { data } = await this.#transport.json<{ data: JobState }>(
      { method: "GET", path },
      options,
    );
    return data;
  }

  /**
   * What the call answered, waited for until `timeoutMs` (usual: the gateway's own limit for jobs). Rejects
   * as the call would have where it failed.
   */
  async result({ timeoutMs = 3600_000, ...options }: CallOptions = {}): Promise<Answer> {
    const endsAt = performance.now() + timeoutMs;
    const asked = { ...(this.#fields ? { fields: this.#fields } : {}), ...options };
    for (;;) {
      const left = Math.max(0, endsAt - performance.now());
      const wait = Math.min(waitSeconds, Math.floor(left / 1000));
      const path = `/jobs/${encodeURIComponent(this.id)}/result?wait=${wait}`;
      try {
        return await this.#transport.json<Answer>({ method: "GET", path }, asked);
      } catch (error) {
        const isUnfinished = isGatewayError(error, "validation_error") && error.status === 409;
        if (!isUnfinished || left === 0) throw error;
      }
    }
  }

  /** Stops it: nothing is charged. Rejects with status 409 where it had ended. */
  async cancel(options?: CallOptions): Promise<JobState> {
    const path = `/jobs/${encodeURIComponent(this.id)}`;
    const request = { method: "DELETE", path } as const;
    return (await this.#transport.json<{ data: JobState }>(request, options)).data;
  }
}

/** Hands a call in. */
export async function submit<Answer>(
  transport: Transport,
  request: Parameters<Transport["json"]>[0],
  { webhookUrl, ...options }: SubmitOptions = {},
): Promise<Job<Answer>> {
  const headers = {
    ...request.headers,
    prefer: "respond-async",
    ...(webhookUrl === undefined ? {} : { "svc-webhook-url": webhookUrl }),
  };
  const accepted = await transport.json<{ request_id: string }>({ ...request, headers }, options);
  return new Job<Answer>(transport, accepted.request_id, options.fields);
}

export interface SubmitOptions extends CallOptions {
  /** https address that is told of the end. */
  webhookUrl?: string;
}
