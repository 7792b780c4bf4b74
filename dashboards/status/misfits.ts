import { escape, stacked } from "../frame.ts";
import type { Reading } from "../metrics.ts";

const mostShown = 30;

/** Upstream answers, and rows of answers, that the mapping could not use. */
export function misfits({ published }: Reading): string {
  const kinds: Record<string, string> = {
    gateway_shape_errors_total: "whole answer",
    gateway_rows_dropped_total: "",
  };
  const found = Object.entries(published.totals)
    .map(([field, count]) => ({ labels: JSON.parse(field) as string[], count: Number(count) }))
    .filter(({ labels: [name = ""], count }) => Object.hasOwn(kinds, name) && count > 0)
    .sort((a, b) => b.count - a.count);
  if (found.length === 0)
    return '<p class="soft">Every upstream answer had the expected shape.</p>';
  const rows = found.slice(0, mostShown).map(({ labels, count }) => {
    const [name = "", upstream = "", operation = "", field] = labels;
    return [operation, upstream, field ?? kinds[name] ?? "", String(count)].map(escape);
  });
  return `${stacked(["Operation", "Upstream", "Missing field", "Dropped"], rows)}
<p class="soft">A row without the field is left out; a whole answer without it is a response_shape_error.</p>`;
}
