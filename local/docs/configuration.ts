import { type Process, processes } from "./processes.ts";
import type { Variable } from "./variables.ts";

/** The text of docs/configuration.md. */

/** A Markdown table with aligned columns, as the formatter writes it. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, column) =>
    Math.max(3, title.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] as number)).join(" | ")} |`;
  const rule = `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`;
  return [line(head), rule, ...rows.map(line)].join("\n");
}

const nameOf = ({ name, file }: Variable): string =>
  file ? `\`${name}\`, \`${name}_FILE\`` : `\`${name}\``;

/** The page is in docs/ itself. */
const linked = (text: string) => text.replace(/`docs\/([\w-]+\.md)`/g, "[$1]($1)");

const cellsOf = (row: Variable): string[] => [row.default, row.values ?? "", linked(row.meaning)];

/** Rows that are the same in several processes, with the names of these. */
function sharedBy(all: readonly Process[]): Map<string, { row: Variable; names: string[] }> {
  const found = new Map<string, { row: Variable; names: string[] }>();
  for (const { name, variables } of all) {
    for (const row of variables) {
      const key = JSON.stringify([nameOf(row), cellsOf(row)]);
      const entry = found.get(key) ?? { row, names: [] };
      entry.names.push(name);
      found.set(key, entry);
    }
  }
  return found;
}

function sections(all: readonly Process[]): string[] {
  const entries = [...sharedBy(all).values()];
  const shared = entries
    .filter(({ names }) => names.length > 1)
    .toSorted((one, other) => (one.row.name < other.row.name ? -1 : 1));
  const own = all.map(({ title, name, about, variables }) => {
    const rows = variables.filter((row) =>
      entries.some((entry) => entry.row === row && entry.names.length === 1),
    );
    const columns = ["variable", "default", "values", "meaning"];
    const lines = rows.map((row) => [nameOf(row), ...cellsOf(row)]);
    const others = shared.some(({ names }) => names.includes(name)) ? ` ${sharedNote}` : "";
    return `## ${title}\n\n${about}${others}\n\n${table(columns, lines)}`;
  });
  const lines = shared.map(({ row, names }) => [nameOf(row), names.join(", "), ...cellsOf(row)]);
  const columns = ["variable", "read by", "default", "values", "meaning"];
  return [`## Several processes\n\n${table(columns, lines)}`, ...own];
}

const sharedNote = "It reads variables of [several processes](#several-processes) too.";

const introduction = `# Configuration

After this page you can set every environment variable of every process. \`npm run docs:configuration\` writes the page: from the schemas in \`api/config.ts\`, \`worker/config.ts\` and \`dashboards/config.ts\`, and from \`local/docs/\` for variables that are read elsewhere.

Where a row names a second variable with \`_FILE\` appended, that variable names a file that contains the value. Node, Postgres.js and OpenTelemetry read variables of their own as well, such as \`NODE_EXTRA_CA_CERTS\` and \`PGPASSWORD\`.`;

export const configurationPage = (): string =>
  `${[introduction, ...sections(processes)].join("\n\n")}\n`;
