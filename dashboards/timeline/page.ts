import { card, cell, escape, headCell, framed, stacked } from "../frame.ts";
import { accountAddress } from "../accounts/forms.ts";
import { type Timeline, ms, time } from "./timeline.ts";

const table = (head: string[], rows: string[], kind = "") =>
  card(
    `<table class="${kind}"><thead><tr>${head.map((name) => headCell(name)).join("")}</tr></thead><tbody>${rows.join("\n")}</tbody></table>`,
  );

/** A row for every stage, with a bar as long as its share of the whole time. */
function stages({ stages: list }: Timeline): string {
  if (list.length === 0) return "";
  const whole = list.filter((one) => !one.inside).reduce((sum, one) => sum + one.ms, 0);
  let from = 0;
  let insideFrom = 0;
  const rows = list.map(({ name, ms: spent, inside }) => {
    if (!inside) insideFrom = from;
    // The clocks of two processes differ, so an inner stage may seem to end after the outer one.
    const x = whole > 0 ? Math.min(99.5, ((inside ? insideFrom : from) / whole) * 100) : 0;
    const width = whole > 0 ? Math.max(0.5, (spent / whole) * 100) : 0;
    // The parts of the wait follow in the list and start where the wait starts.
    if (inside) insideFrom += spent;
    else from += spent;
    if (name.startsWith("wait")) insideFrom = from - spent;
    const bar = `<svg class="bar" viewBox="0 0 100 8" preserveAspectRatio="none" role="img" aria-label="${ms(spent)}"><rect x="${x.toFixed(2)}" width="${Math.min(width, 100 - x).toFixed(2)}" height="8" class="${inside ? "inner" : "outer"}"/></svg>`;
    return `<tr><td class="${inside ? "inside" : ""}">${escape(name)}</td><td>${ms(spent)}</td><td class="wide">${bar}</td></tr>`;
  });
  return `<h2>Where the time went</h2>${table(["Stage", "Time", ""], rows)}`;
}

function tries({ tries: list, moreTries }: Timeline): string {
  if (list.length === 0) return "";
  const rows = list.map((one) => {
    const bad = typeof one.status === "number" ? one.status >= 400 : one.status !== "sample";
    const upstream = `<a href="/upstreams/${encodeURIComponent(one.upstream)}">${escape(one.upstream)}</a>`;
    return `<tr>${cell(upstream)}${cell(escape(String(one.status)), bad)}${cell(ms(one.at))}${cell(ms(one.waited))}${cell(ms(one.took))}</tr>`;
  });
  const more = moreTries > 0 ? `<p class="soft">And ${moreTries} more.</p>` : "";
  return `<h2>Upstream calls</h2>${table(["Upstream", "Answer", "Sent after", "Waited", "Took"], rows, "tight")}${more}`;
}

function others({ others: list, moreOthers }: Timeline): string {
  if (list.length === 0) return "";
  const rows = list.map(({ id, fate, status, at }) => [
    `<a href="/calls/${encodeURIComponent(id)}">${escape(id)}</a>`,
    fate,
    String(status),
    time(at),
  ]);
  const more = moreOthers > 0 ? `<p class="soft">And ${moreOthers} more.</p>` : "";
  return `<h2>The same answer went to</h2>${stacked(["Request", "How", "Status", "Came"], rows)}${more}`;
}

/** The timeline of one call. */
export function callPage(timeline: Timeline): string {
  const rows = timeline.facts.map(
    ([name, value]) => `<tr><td>${escape(name)}</td><td class="text">${escape(value)}</td></tr>`,
  );
  const { pool, account } = timeline;
  const links = [
    ...(timeline.isOpenJob
      ? [`<a href="/work/jobs/${encodeURIComponent(timeline.id)}">Cancel it</a>`]
      : []),
    ...(account
      ? [`<a href="${escape(accountAddress(account))}">The account ${escape(account)}</a>`]
      : []),
    ...(pool
      ? [
          `<a href="/pools/${pool}">The pool ${pool}</a>`,
          `<a href="/queues/queue/${pool}/${encodeURIComponent(timeline.id)}">Its job in the queue</a>`,
        ]
      : []),
  ];
  const job = links.length === 0 ? "" : `<p></p><nav>${links.join(" ")}</nav>`;
  const again =
    timeline.good || timeline.tries.length === 0
      ? ""
      : `<p class="soft">Where the upstream's answers were kept, <code>gateway replay ${escape(timeline.id)}</code> maps them again without spending.</p>`;
  const notes = timeline.notes.map((note) => `<p class="bad">${escape(note)}</p>`).join("");
  return framed({
    title: "A call",
    body: `<p class="id">${escape(timeline.id)}</p><p class="${timeline.good ? "headline" : "headline bad"}">${escape(timeline.headline)}</p>${notes}
${card(`<table class="facts"><tbody>${rows.join("\n")}</tbody></table>`)}${job}
${stages(timeline)}${tries(timeline)}${again}${others(timeline)}`,
  });
}
