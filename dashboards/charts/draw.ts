/// <reference lib="dom" />
import type UPlot from "uplot";
import { type Sheet, linesOf, numberOf, readSheet } from "./sheet.ts";

/*
 * Functions of the browser: they draw the table of each chart (plot.ts) with uPlot, and draw it again when its
 * figures change. They are sent as their own text, so they use nothing but each other and the library, and no
 * function of another file except those that they are given.
 */

declare const uPlot: typeof UPlot;

function tickOf(value: number, unit: string): string {
  if (unit !== "ms") return value.toLocaleString("en-US");
  return value >= 1000 ? `${value / 1000} s` : `${value} ms`;
}

/** The colours of the page, which has them light and dark. */
function colorOf(box: Element, kind: string): string {
  const probe = document.createElement("span");
  probe.className = `key ${kind}`;
  box.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

/** One tick for each power of ten; the library's own lines between them are too many for a small chart. */
function powersBetween(least: number, most: number): number[] {
  const first = Math.ceil(Math.log10(least) - 1e-6);
  const count = Math.floor(Math.log10(most) + 1e-6) - first + 1;
  return Array.from({ length: Math.max(0, count) }, (_, index) => 10 ** (first + index));
}

function axesOf(box: HTMLElement, unit: string, isLogarithmic: boolean): UPlot.Axis[] {
  const { color, borderTopColor } = getComputedStyle(box);
  const look = {
    stroke: color,
    font: "11px system-ui, sans-serif",
    grid: { stroke: borderTopColor, width: 1 },
    ticks: { stroke: borderTopColor, width: 1, size: 4 },
  };
  const wholes = [1, 10, 100, 1000, 10_000, 100_000].flatMap((of) => [of, 2 * of, 5 * of]);
  // Their labels have no seconds.
  const minutes = [1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1440, 2880];
  const pad = (value: number) => String(value).padStart(2, "0");
  const clock = (_: UPlot, splits: number[], _axis: number, _space: number, step: number) =>
    splits.map((at) => {
      const date = new Date(at * 1000);
      return step >= 86_400
        ? `${pad(date.getUTCMonth() + 1)}-${pad(date.getUTCDate())}`
        : `${pad(date.getUTCHours())}:${pad(date.getUTCMinutes())}`;
    });
  return [
    { ...look, size: 26, gap: 3, space: 55, incrs: minutes.map((of) => 60 * of), values: clock },
    {
      ...look,
      size: 52,
      gap: 3,
      space: 28,
      ...(isLogarithmic
        ? {
            splits: (_: UPlot, _axis: number, least: number, most: number) =>
              powersBetween(least, most),
            filter: (_: UPlot, splits: number[]) => splits,
          }
        : {}),
      // There is no half call or worker.
      ...(unit === "ms" ? {} : { incrs: wholes }),
      values: (_, splits) => splits.map((value) => tickOf(value, unit)),
    },
  ];
}

/** Names, colours and values of the lines: under the cursor, or of the last time. */
function showLegend(legend: Element, sheet: Sheet, unit: string, index: number | null): void {
  const at = index ?? sheet.times.length - 1;
  const parts = sheet.lines
    .filter((line) => line.unit === unit)
    .map(({ name, kind, texts }) => {
      const part = document.createElement("span");
      part.className = `key ${kind}`;
      part.textContent = `${name} ${texts[at] ?? "–"}`;
      return part;
    });
  const moment = document.createElement("span");
  moment.className = "when";
  moment.textContent = sheet.moments[at] === undefined ? "" : `${sheet.moments[at]}Z`;
  legend.replaceChildren(...parts, moment);
}

/** The chart of one unit, of a sheet that changes. */
function chartOf(box: HTMLElement, unit: string, sheetOf: () => Sheet, key: string): UPlot {
  const legend = document.createElement("p");
  legend.className = "legend";
  box.append(legend);
  const { lines, isLogarithmic } = sheetOf();
  const steps = uPlot.paths.stepped?.({ align: 1 });
  const series = lines
    .filter((line) => line.unit === unit)
    .map(({ name, kind }): UPlot.Series => ({
      label: name,
      stroke: colorOf(box, kind),
      width: kind === "actual" ? 6 : 1.5,
      alpha: kind === "actual" ? 0.4 : 1,
      ...(kind === "failed" ? { dash: [4, 2] } : {}),
      ...(steps ? { paths: steps } : {}),
      points: { show: false },
    }));
  const options: UPlot.Options = {
    width: box.clientWidth,
    height: 120,
    padding: [6, 14, 0, 0],
    series: [{}, ...series],
    axes: axesOf(box, unit, isLogarithmic),
    scales: {
      x: { range: () => [sheetOf().from, sheetOf().to] },
      y: isLogarithmic
        ? { distr: 3 }
        : { range: (_, _least, most) => [0, Math.max(1, most ?? 1) * 1.05] },
    },
    tzDate: (at) => uPlot.tzDate(new Date(at * 1000), "Etc/UTC"),
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, sync: { key } },
    hooks: {
      setCursor: [({ cursor }) => showLegend(legend, sheetOf(), unit, cursor.idx ?? null)],
      setData: [({ cursor }) => showLegend(legend, sheetOf(), unit, cursor.idx ?? null)],
    },
  };
  return new uPlot(options, dataOf(sheetOf(), unit), box);
}

function dataOf({ times, lines }: Sheet, unit: string): UPlot.AlignedData {
  return [times, ...lines.filter((line) => line.unit === unit).map(({ values }) => values)];
}

/** The charts of one table, and the table's form by which they were made. */
interface Drawn {
  form: string;
  sheet: Sheet;
  charts: { unit: string; chart: UPlot }[];
}

function draw(form: string, sheet: Sheet, box: HTMLElement, before: Drawn | undefined): Drawn {
  if (before?.form === form) {
    before.sheet = sheet;
    for (const { unit, chart } of before.charts) chart.setData(dataOf(sheet, unit));
    return before;
  }
  for (const { chart } of before?.charts ?? []) chart.destroy();
  box.replaceChildren();
  const drawn: Drawn = { form, sheet, charts: [] };
  const units = [...new Set(sheet.lines.map(({ unit }) => unit))];
  const key = String(Math.random());
  for (const unit of units) {
    const isMeasured = sheet.lines.some(
      (line) => line.unit === unit && line.values.some((value) => value !== null),
    );
    if (isMeasured) drawn.charts.push({ unit, chart: chartOf(box, unit, () => drawn.sheet, key) });
  }
  // A unit that is not measured yet has no chart; the table is looked at again when its figures change.
  if (drawn.charts.length < units.length) drawn.form = "";
  return drawn;
}

/** Arrow keys move the cursor as the mouse does. */
function moveByKey(event: KeyboardEvent, { sheet, charts }: Drawn): void {
  const last = sheet.times.length - 1;
  const at = charts[0]?.chart.cursor.idx ?? last;
  const next = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: last }[event.key];
  if (next === undefined) return;
  event.preventDefault();
  const time = sheet.times[Math.min(last, Math.max(0, next))];
  if (time === undefined) return;
  for (const { chart } of charts) chart.setCursor({ left: chart.valToPos(time, "x"), top: 0 });
}

function drawAll(read: typeof readSheet): void {
  const known = new Map<HTMLTableElement, Drawn>();
  const boxOf = (table: Element) => table.closest(".plotted")?.querySelector<HTMLElement>(".plot");
  const resized = new ResizeObserver((entries) => {
    for (const { charts } of known.values())
      for (const { chart } of charts) {
        const entry = entries.find(({ target }) => target.contains(chart.root));
        const width = Math.floor(entry?.contentRect.width ?? 0);
        if (width > 0 && width !== chart.width) chart.setSize({ width, height: chart.height });
      }
  });
  const show = (table: HTMLTableElement) => {
    const box = boxOf(table);
    if (!box) return;
    const before = known.get(table);
    known.set(table, draw(table.tHead?.innerHTML ?? "", read(table), box, before));
    if (before) return;
    resized.observe(box);
    box.addEventListener("keydown", (event) => {
      const drawn = known.get(table);
      if (drawn) moveByKey(event, drawn);
    });
  };
  const showAll = () => {
    for (const [table, { charts }] of known) {
      if (table.isConnected) continue;
      for (const { chart } of charts) chart.destroy();
      known.delete(table);
    }
    for (const table of document.querySelectorAll<HTMLTableElement>("table[data-step]"))
      show(table);
  };
  const colors = matchMedia("(prefers-color-scheme: dark)");
  colors.addEventListener("change", () => {
    for (const drawn of known.values()) drawn.form = "";
    showAll();
  });
  showAll();
  // live.ts changes tables in place; what the charts themselves change is no reason to draw.
  new MutationObserver((changes) => {
    const isOwn = ({ target }: MutationRecord) =>
      (target instanceof Element ? target : target.parentElement)?.closest(".plot") != null;
    if (!changes.every(isOwn)) showAll();
  }).observe(document.querySelector("main") ?? document.body, {
    attributes: true,
    attributeFilter: ["data-to", "data-value", "data-at"],
    characterData: true,
    childList: true,
    subtree: true,
  });
}

/** The script of `/charts.js`. */
export const chartScript = `(() => {\n${[
  numberOf,
  linesOf,
  readSheet,
  tickOf,
  colorOf,
  powersBetween,
  axesOf,
  showLegend,
  chartOf,
  dataOf,
  draw,
  moveByKey,
  drawAll,
].join("\n")}\ndrawAll(readSheet);\n})();\n`;
