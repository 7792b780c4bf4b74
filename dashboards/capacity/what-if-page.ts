import { pools } from "../../contract/operation.ts";
import { card, cell, escape, framed, note } from "../frame.ts";
import { wait } from "./page.ts";
import type { WhatIf } from "./what-if.ts";

/** Fields of the form, in the order of the question. */
const fields: [name: string, label: string][] = [
  ["per_second", "Calls a second"],
  ["service_ms", "Time a call takes, in ms"],
  ["service_scv", "Variability of that time (cs²)"],
  ["arrival_scv", "Variability of arrivals (ca²)"],
  ["target_ms", "Target p95 wait, in ms"],
  ["slots_per_worker", "Slots of a worker"],
];

/** A form for the same formula with other numbers; fields left empty take the measured values. */
export function whatIfPage(view: {
  values: Readonly<Record<string, string | number | undefined>>;
  answer: WhatIf | undefined;
  problem: string | undefined;
}): string {
  const { values, answer, problem } = view;
  const options = pools.map(
    (pool) => `<option${pool === values["pool"] ? " selected" : ""}>${pool}</option>`,
  );
  const inputs = fields.map(
    ([name, label]) =>
      `<label>${label}<input name="${name}" inputmode="decimal" value="${escape(String(values[name] ?? ""))}"></label>`,
  );
  return framed({
    title: "What if?",
    body: `${note(problem)}${answer ? answered(answer) : ""}
<form class="card fields" action="/capacity/what-if"><label>Pool<select name="pool">${options.join("")}</select></label>${inputs.join("")}<button>Answer</button></form>
<p class="soft">An empty field takes the value that was measured last.</p>`,
  });
}

function answered({
  question,
  workers,
  slots,
  busy_slots: busy,
  by_workers: rows,
}: WhatIf): string {
  const table = rows.map((one) => {
    const isTooLong = one.p95_wait_ms === null || one.p95_wait_ms > question.target_ms;
    return `<tr>${cell(one.workers)}${cell(one.slots)}${cell(`${Math.round(one.utilisation * 100)} %`)}${cell(one.p95_wait_ms === null ? "grows" : wait(one.p95_wait_ms), isTooLong)}</tr>`;
  });
  return `<p class="headline"><strong>${workers} worker${workers === 1 ? "" : "s"}</strong> with ${slots} slots: ${Number(busy.toPrecision(3))} of them are busy on average.</p>
${card(`<table><thead><tr><th scope="col">Workers</th><th scope="col">Slots</th><th scope="col">Busy</th><th scope="col">p95 wait</th></tr></thead><tbody>${table.join("\n")}</tbody></table>`)}<p></p>`;
}
