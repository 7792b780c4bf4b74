import { buildText, thisProcess } from "../../runtime/build.ts";
import { escape, framed, note, stacked } from "../frame.ts";
import type { Reading } from "../metrics.ts";
import { moment } from "./page.ts";
import { span } from "./troubles.ts";

const megabytes = (bytes: number) => `${(bytes / 1024 ** 2).toFixed(0)} MB`;

/** Busy and all slots of each queue that a process works for. */
function slotsOf({ pools, webhooks }: Reading, name: string | undefined): string {
  return [...pools, webhooks]
    .flatMap(({ pool, beats }) =>
      beats
        .filter(({ machine }) => machine !== undefined && machine.process === name)
        .map(({ running, slots }) => `${pool} ${running}/${slots}`),
    )
    .join(", ");
}

/** Every process that reports, with its version, age, memory and slots. */
export function processesPage(reading: Reading | undefined): string {
  if (!reading)
    return framed({ title: "Processes", body: note("Redis does not answer."), refresh: 5 });
  const own = { role: "dashboards", memoryBytes: process.memoryUsage.rss(), about: thisProcess };
  const all = [...reading.published.processes, own].toSorted(
    (a, b) => a.role.localeCompare(b.role) || (a.about?.since ?? 0) - (b.about?.since ?? 0),
  );
  const rows = all.map(({ role, memoryBytes, about }) => [
    escape(about?.name ?? "–"),
    escape(role),
    escape(buildText(about)),
    about
      ? `${moment(about.since, reading.at)} <span class="soft">${span(Math.max(0, reading.at - about.since))}</span>`
      : "–",
    megabytes(memoryBytes),
    escape(slotsOf(reading, about?.name)) || "–",
  ]);
  const heads = ["Process", "Role", "Version", "Since", "Memory", "Busy slots"];
  return framed({
    title: "Processes",
    refresh: 15,
    wide: true,
    body: `${stacked(heads, rows)}<p class="soft">A process reports every five seconds, and is listed for half a minute after its last report; slots follow ten seconds after the start of a worker. A process of release 0.2.0 reports no version.</p>`,
  });
}
