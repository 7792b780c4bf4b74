import type { CDPSession, Connection } from "puppeteer";

/** Workers that a page starts in all, those of its frames and of its workers among them; further ones never run. */
const mostWorkers = 1000;

/**
 * Runs the script in each worker of a page before the worker's own, in workers of workers too. Chromium has no other
 * place for it: scripts for new documents do not run in workers. Resolves when the next worker will be held.
 */
export function prepareWorkers(
  page: CDPSession,
  connection: Connection,
  script: string,
  timeout: number,
): Promise<void> {
  let left = mostWorkers;
  const holdWorkersOf = async (session: CDPSession): Promise<void> => {
    session.on("Target.attachedToTarget", ({ sessionId }) => {
      const worker = connection.session(sessionId);
      left -= 1;
      // A worker that has ended meanwhile answers nothing.
      if (worker && left >= 0) start(worker).catch(() => undefined);
    });
    await session.send(
      "Target.setAutoAttach",
      {
        autoAttach: true,
        waitForDebuggerOnStart: true,
        flatten: true,
        filter: [{ type: "worker" }],
      },
      { timeout },
    );
  };
  // Before a worker's script is loaded it lacks the interfaces of secure contexts, so the script runs when the
  // worker's own is about to.
  const start = async (worker: CDPSession) => {
    worker.once("Debugger.paused", () => {
      Promise.all([
        worker.send("Runtime.evaluate", { expression: script }, { timeout }),
        worker.send("Debugger.disable", undefined, { timeout }),
      ]).catch(() => undefined);
    });
    await Promise.all([
      holdWorkersOf(worker),
      worker.send("Debugger.enable", undefined, { timeout }),
      worker.send(
        "Debugger.setInstrumentationBreakpoint",
        { instrumentation: "beforeScriptExecution" },
        { timeout },
      ),
    ]);
    await worker.send("Runtime.runIfWaitingForDebugger", undefined, { timeout });
  };
  return holdWorkersOf(page);
}
