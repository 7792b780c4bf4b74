import type {
  GatewayJobsCancelData,
  GatewayJobsGetData,
  GatewayJobsResultData,
  Job as JobState,
} from "./generated/types.gen.ts";
import { isGatewayError } from "./errors.ts";
import { ownRequest } from "./requests.ts";
import { type CallOptions, type Transport, keyed } from "./transport.ts";

/** Seconds that one long poll for a result waits; polls repeat until the result is there. */
const waitSeconds = 50;

/** A call that was submitted as a job: it runs whether or not anybody waits. */
export class Job<Answer> {
  /** The call's `request_id`, by which any process can continue with the job for 24 hours. */
  readonly id: string;
  readonly #transport: Transport;
  readonly #fields: CallOptions["fields"];

  /** `fields`: the members of each record that were selected when the job was submitted. */
  constructor(transport: Transport, id: string, fields?: CallOptions["fields"]) {
    this.#transport = transport;
    this.id = id;
    this.#fields = fields;
  }

  /** The state (queued, running, succeeded, failed or cancelled), times, position in the queue, and the price once known. */
  async status(options?: CallOptions): Promise<JobState> {
    const request = ownRequest<GatewayJobsGetData>("GET", "/jobs/{request_id}", {
      request_id: this.id,
    });
    return (await this.#transport.json<{ data: JobState }>(request, options)).data;
  }

  /**
   * Waits for the answer of the call, for at most `timeoutMs` (default: an hour). Rejects as the call itself
   * would if it failed.
   */
  async result({ timeoutMs = 3600_000, ...options }: CallOptions = {}): Promise<Answer> {
    const endsAt = performance.now() + timeoutMs;
    const withFields = { ...options, fields: options.fields ?? this.#fields };
    for (;;) {
      const left = Math.max(0, endsAt - performance.now());
      const wait = Math.min(waitSeconds, Math.floor(left / 1000));
      const request = ownRequest<GatewayJobsResultData>("GET", "/jobs/{request_id}/result", {
        request_id: this.id,
        wait,
      });
      try {
        return await this.#transport.json<Answer>(request, withFields);
      } catch (error) {
        const isUnfinished = isGatewayError(error, "validation_error") && error.status === 409;
        if (!isUnfinished || left === 0) throw error;
      }
    }
  }

  /** Cancels the job; nothing is charged. Rejects with status 409 if the job has ended. */
  async cancel(options?: CallOptions): Promise<JobState> {
    const request = ownRequest<GatewayJobsCancelData>("DELETE", "/jobs/{request_id}", {
      request_id: this.id,
    });
    return (await this.#transport.json<{ data: JobState }>(request, options)).data;
  }
}

/** Submits a call as a job. */
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
  const accepted = await transport.json<{ request_id: string }>(
    { ...request, headers },
    keyed(options),
  );
  return new Job<Answer>(transport, accepted.request_id, options.fields);
}

export interface SubmitOptions extends CallOptions {
  /** https URL that receives a webhook when the job ends. */
  webhookUrl?: string;
}
