import { card, cell, escape, framed, stacked } from "../frame.ts";
import { type Tale, ms, time } from "./tell.ts";

const table = (head: string[], rows: string[], kind = "") =>
  card(
    `<table class="${kind}"><thead><tr>${head.map((name) => `<th>${name}</th>`).join("")}</tr></thead><tbody>${rows.join("\n")}</tbody></table>`,
  );

/** A line for every stage, with a bar as long as its share of the whole. */
function stages({ stages: list }: Tale): string {
  if (list.length === 0) return "";
  const whole = list.filter((one) => !one.inside).reduce((sum, one) => sum + one.ms, 0);
  let from = 0;
  let insideFrom = 0;
  const rows = list.map(({ name, ms: spent, inside }) => {
    if (!inside) insideFrom = from;
    // Clocks of two processes: what is inside may seem to end a little later than the whole.
    const x = whole > 0 ? Math.min(99.5, ((inside ? insideFrom : from) / whole) * 100) : 0;
    const width = whole > 0 ? Math.max(0.5, (spent / whole) * 100) : 0;
    // What the wait consists of stands below it, from where it begins.
    if (inside) insideFrom += spent;
    else from += spent;
    if (name.startsWith("wait")) insideFrom = from - spent;
    const bar = `<svg class="bar" viewBox="0 0 100 8" preserveAspectRatio="none" role="img" aria-label="${ms(spent)}"><rect x="${x.toFixed(2)}" width="${Math.min(width, 100 - x).toFixed(2)}" height="8" class="${inside ? "inner" : "outer"}"/></svg>`;
    return `<tr><td class="${inside ? "inside" : ""}">${escape(name)}</td><td>${ms(spent)}</td><td class="wide">${bar}</td></tr>`;
  });
  return `<h2>Where the time went</h2>${table(["Stage", "Time", ""], rows)}`;
}

function tries({ tries: list, moreTries }: Tale): string {
  if (list.length === 0) return "";
  const rows = list.map((one) => {
    const bad = typeof one.status === "number" ? one.status >= 400 : one.status !== "sample";
    return `<tr>${cell(escape(one.upstream))}${cell(escape(String(one.status)), bad)}${cell(ms(one.at))}${cell(ms(one.waited))}${cell(ms(one.took))}</tr>`;
  });
  const more = moreTries > 0 ? `<p class="soft">And ${moreTries} more.</p>` : "";
  return `<h2>Upstream calls</h2>${table(["Upstream", "Answer", "Sent after", "Waited", "Took"], rows, "tight")}${more}`;
}

function others({ others: list, moreOthers }: Tale): string {
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

/** The story of one call. */
export function storyPage(tale: Tale): string {
  const rows = tale.facts.map(
    ([name, value]) => `<tr><td>${escape(name)}</td><td class="text">${escape(value)}</td></tr>`,
  );
  const job = tale.pool
    ? `<p><a href="/queues/queue/${tale.pool}/${encodeURIComponent(tale.id)}">Its job in the queue</a> <a href="/pools/${tale.pool}">The pool ${tale.pool}</a></p>`
    : "";
  const notes = tale.notes.map((note) => `<p class="bad">${escape(note)}</p>`).join("");
  return framed({
    title: "A call",
    body: `<p class="id">${escape(tale.id)}</p><p class="${tale.good ? "told" : "told bad"}">${escape(tale.headline)}</p>${notes}
${card(`<table class="facts"><tbody>${rows.join("\n")}</tbody></table>`)}${job}
${stages(tale)}${tries(tale)}${others(tale)}`,
  });
}
