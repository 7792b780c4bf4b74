import type { Background } from "./background.ts";
import type { Stage } from "./stage.ts";
import type { Client } from "./traffic.ts";

/** Webhooks of a soak: each end is reported, and as one event. */

export async function registerEndpoints(
  { gateway, receiver }: Stage,
  clients: readonly Client[],
): Promise<void> {
  for (const { key, account } of clients) {
    const body = { url: `${receiver.url}/${account}`, events: ["job.ended", "batch.ended"] };
    const { status, text } = await gateway.call(key, "POST", "/webhooks", { body });
    if (status !== 201) throw new Error(text);
  }
}

/** Ends that no accepted request has reported, or that several events report. */
export function deliveryFaults({ receiver }: Stage, { jobs, batches }: Background): string[] {
  const events = new Map<string, Set<string>>();
  for (const { event, body, reaction } of receiver.received) {
    if (reaction !== 204) continue;
    const { data } = JSON.parse(body) as { data: { request_id?: string; batch_id?: string } };
    const id = data.request_id ?? data.batch_id ?? "";
    events.set(id, (events.get(id) ?? new Set()).add(event));
  }
  const ends = [
    ...jobs.map(({ id }) => ({ id, most: 1 })),
    ...batches.map(({ id, retries }) => ({ id, most: 1 + retries })),
  ];
  return ends.flatMap(({ id, most }) => {
    const count = events.get(id)?.size ?? 0;
    return count >= 1 && count <= most ? [] : [`${id}: ${count} events of its end`];
  });
}
