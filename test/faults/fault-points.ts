import type { Edit } from "./guards.ts";

const die = 'process.kill(process.pid, "SIGKILL");';
const dieBehind = (file: string, find: string): Edit => ({ file, find, put: `${find}\n${die}` });
const dieBefore = (file: string, find: string, condition = ""): Edit => ({
  file,
  find,
  put: `${condition}${die}\n${find}`,
});

/** Points of a call, a job or a webhook at which the process that runs it kills itself. */
const faultPoints = {
  after_reserve: [
    dieBehind(
      "api/execute.ts",
      'if (claimed.kind === "running") return join(call, claimed.replay, services);',
    ),
    dieBehind("api/jobs/jobs.ts", 'if (claimed.kind !== "held") return claimed;'),
  ],
  after_enqueue: [dieBefore("api/queue/run-job.ts", 'run.timeline?.enter("wait");')],
  after_result: [
    dieBefore(
      "api/settle.ts",
      'if (waited.kind === "outcome" && waited.outcome.ok) {',
      'if (waited.kind === "outcome") ',
    ),
  ],
  after_settle: [
    dieBehind("api/settle.ts", "call.request.timeline?.charged(credits, records, truncated);"),
  ],
  before_write: [
    dieBefore("api/routes.ts", 'timeline.enter("write");\n          // A price has no records.'),
    dieBefore("api/jobs/start-job.ts", "const state = response?.ended ??"),
  ],
  webhooks_taken: [dieBehind("api/webhooks/dispatch.ts", "if (due.length === 0) return;")],
} satisfies Record<string, readonly Edit[]>;

export const allFaultPoints: [string, readonly Edit[]][] = Object.entries(faultPoints);

export function faultPointNamed(name: string): readonly Edit[] {
  const edits = (faultPoints as Record<string, readonly Edit[]>)[name];
  if (!edits) throw new Error(`there is no fault point "${name}"`);
  return edits;
}
