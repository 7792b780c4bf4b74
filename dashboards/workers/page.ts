import { type ProcessAbout, buildText, instanceOf, thisProcess } from "../../runtime/build.ts";
import type { Heartbeat } from "../../runtime/queue.ts";
import type { ControlRow } from "../../db/controls.ts";
import { escape, framed, note, stacked } from "../frame.ts";
import type { PublishedProcess } from "../../runtime/processes.ts";
import type { Reading } from "../metrics.ts";
import { boundTexts } from "../slots-bound.ts";
import { moment } from "../status/page.ts";
import { span } from "../status/troubles.ts";

const megabytes = (bytes: number) => `${(bytes / 1024 ** 2).toFixed(0)} MB`;

/** Host and process id, which the name of a process joins by its last "-". */
function partsOf(name: string): { host: string; pid: string } {
  const at = name.lastIndexOf("-");
  return { host: name.slice(0, at), pid: name.slice(at + 1) };
}

interface Beat extends Heartbeat {
  pool: string;
}

const beatsOf = ({ pools, webhooks }: Reading, name: string | undefined): Beat[] =>
  [...pools, webhooks].flatMap(({ pool, beats }) =>
    beats
      .filter(({ machine }) => machine !== undefined && machine.process === name)
      .map((beat) => ({ ...beat, pool })),
  );

const ageOf = (about: ProcessAbout, at: number) =>
  `${moment(about.since, at)} <span class="soft">${span(Math.max(0, at - about.since))}</span>`;

/** The state in a word, and the decision behind it. */
function stateOf(beats: readonly Beat[], decision: ControlRow | undefined): string {
  const isQuiet = beats.some(({ quiet }) => quiet);
  if (decision && !isQuiet) return '<span class="warm">becomes quiet</span>';
  if (!decision && isQuiet) return '<span class="warm">resumes</span>';
  if (!decision) return "takes jobs";
  const running = beats.reduce((sum, beat) => sum + beat.running, 0);
  const rest = running > 0 ? `, finishes ${running}` : "";
  return `<span class="wrap"><span class="warm">quiet${rest}</span> <span class="soft">${escape(decision.why)}</span></span>`;
}

function machineText(beats: readonly Beat[]): string {
  const machine = beats[0]?.machine;
  if (!machine) return "–";
  const memory = Math.round((100 * machine.memory_used) / machine.memory);
  return `${machine.busy_processors.toFixed(1)} of ${machine.processors} processors, ${memory} % memory`;
}

const wrapped = (text: string) => `<span class="wrap">${text || "–"}</span>`;

function control(about: ProcessAbout, decision: ControlRow | undefined): string {
  const hidden = (name: string, value: string) =>
    `<input type="hidden" name="${name}" value="${escape(value)}">`;
  const minutes = decision
    ? ""
    : '<input name="minutes" inputmode="numeric" pattern="[0-9]{1,6}" placeholder="Minutes" aria-label="Minutes (empty: until it is resumed)">';
  return `<form method="post" action="/controls" class="inline">${hidden("kind", "worker")}${hidden("target", instanceOf(about))}${hidden("effect", decision ? "none" : "pause")}${hidden("back", "/workers")}
${minutes}<input name="why" placeholder="Why" aria-label="Why" required maxlength="300"><button>${decision ? "Resume" : "Quiet"}</button></form>`;
}

interface View {
  reading: Reading | undefined;
  /** Decisions in force; undefined where the database does not tell. */
  controls: readonly ControlRow[] | undefined;
  mayChange: boolean;
}

function workersTable({ controls, mayChange }: View, reading: Reading): string {
  const workers = reading.published.processes
    .filter(({ role }) => role === "worker")
    .toSorted((a, b) => (a.about?.name ?? "").localeCompare(b.about?.name ?? ""));
  if (workers.length === 0) return '<p class="bad">No worker process reports.</p>';
  const hasForms = mayChange && controls !== undefined;
  const rows = workers.map(({ about, memoryBytes }) => {
    const beats = beatsOf(reading, about?.name);
    const name = about && partsOf(about.name);
    const decision =
      about &&
      controls?.find(({ kind, target }) => kind === "worker" && target === instanceOf(about));
    return [
      escape(name?.host ?? "–"),
      escape(name?.pid ?? "–"),
      stateOf(beats, decision),
      escape(buildText(about)),
      about ? ageOf(about, reading.at) : "–",
      wrapped(
        beats
          .map(
            ({ pool, running, slots, slots_bound: bound = "setting" }) =>
              // Slots that nothing holds back need no remark.
              `${escape(pool)} ${running}/${slots}${bound === "demand" ? "" : ` (${boundTexts[bound]})`}`,
          )
          .join("<br>"),
      ),
      megabytes(memoryBytes),
      wrapped(machineText(beats)),
      ...(hasForms ? [about ? control(about, decision) : ""] : []),
    ];
  });
  const heads = ["Host", "Pid", "State", "Version", "Since", "Busy / slots", "Memory", "Machine"];
  return stacked([...heads, ...(hasForms ? [""] : [])], rows);
}

function othersTable(reading: Reading): string {
  const own: PublishedProcess = {
    role: "dashboards",
    memoryBytes: process.memoryUsage.rss(),
    gauges: {},
    about: thisProcess,
  };
  const all = [...reading.published.processes, own].filter(({ role }) => role !== "worker");
  const rows = all
    .toSorted(
      (a, b) => a.role.localeCompare(b.role) || (a.about?.since ?? 0) - (b.about?.since ?? 0),
    )
    .map(({ role, memoryBytes, about }) => [
      escape(about?.name ?? "–"),
      escape(role),
      escape(buildText(about)),
      about ? ageOf(about, reading.at) : "–",
      megabytes(memoryBytes),
    ]);
  return stacked(["Process", "Role", "Version", "Since", "Memory"], rows);
}

/** Every worker process with a control of its own, and the other processes that report. */
export function workersPage(view: View): string {
  const { reading, controls, mayChange } = view;
  if (!reading)
    return framed({ title: "Workers", body: note("Redis does not answer."), refresh: 5 });
  const unknown =
    controls === undefined ? note("The database does not answer, and it holds the controls.") : "";
  const about = mayChange
    ? "A quiet worker takes no job and finishes those that it has, so it can be stopped or looked at; its calls go to the other workers of the pool. A worker that starts later with the same pid is not meant."
    : "Only an operator may quiet a worker.";
  return framed({
    title: "Workers",
    refresh: 15,
    wide: true,
    body: `${unknown}${workersTable(view, reading)}
<p class="soft">${about} Memory is that of the process without its browser; Machine is all that runs on the host, or in the container where that has limits.</p>
<h2>Other processes</h2>${othersTable(reading)}
<p class="soft">A process reports every five seconds, and is listed for half a minute after its last report; slots follow ten seconds after the start of a worker. A process older than this list reports no version.</p>`,
  });
}
