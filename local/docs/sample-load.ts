import { setTimeout as sleep } from "node:timers/promises";
import { operations } from "../../contract/index.ts";
import type { Operation, Pool } from "../../contract/operation.ts";
import { one } from "../../client/src/calls.ts";
import { Transport } from "../../client/src/transport.ts";
import type { OwnGateway } from "./own-gateway.ts";

/** A small load in test mode: every upstream answers with its samples, and only the demo page is rendered. */

/** Invented accounts. */
const accounts = ["sample-atlas", "sample-market-watch", "sample-newsdesk"];

/** Calls a second by pool. */
const rates: Record<Pool, number> = { browser: 1.2, seo: 2, "seo-bulk": 0.7, serp: 4, social: 6 };

/** Scenarios of every so many calls. */
const scenarios: [every: number, name: string][] = [
  [41, "upstream_error"],
  [53, "upstream_unavailable"],
  [9, "slow"],
  [67, "not_found"],
];

/** A rush of slow pages, for which the pool needs more workers: its begin in milliseconds and its pages a second. */
const rush = { account: "sample-rush", afterMs: 40_000, perSecond: 2 };

interface Answer {
  request_id: string;
}

export interface SampleLoad {
  /** Sends one call more, with the example of its operation, and returns its request id. */
  call(operation: string): Promise<string>;
  /** Ends the load once its running calls are answered. */
  stop(): Promise<void>;
}

export async function startSampleLoad(gateway: OwnGateway): Promise<SampleLoad> {
  const keys: string[] = [];
  for (const account of accounts) keys.push(await gateway.key(account, "test"));
  const callerOf = (key: string) => new Transport({ key, baseUrl: gateway.apiUrl, retries: 0 });
  const callers = keys.map(callerOf);
  const hurried = callerOf(await gateway.key(rush.account, "test"));
  // A slow machine refuses calls while too many wait.
  const patient = new Transport({ key: keys[0] as string, baseUrl: gateway.apiUrl, retries: 10 });
  let count = 0;
  const nextCaller = () => callers[count++ % callers.length] as Transport;

  const send = async (op: Operation, scenario?: string, caller = nextCaller()): Promise<string> => {
    const input =
      op.area === "browser" ? { ...op.example, url: gateway.demoUrl } : (op.example as object);
    const route = { method: op.method, path: op.path };
    const options = scenario === undefined ? {} : { scenario };
    return (await one<Answer>(caller, route, input, options)).request_id;
  };

  const running = new Set<Promise<unknown>>();
  const sendBeside = (op: Operation, scenario?: string, caller?: Transport) => {
    // Some calls are meant to fail.
    const call = send(op, scenario, caller).catch(() => undefined);
    running.add(call);
    void call.finally(() => running.delete(call));
  };
  const timers = Object.entries(rates).map(([pool, perSecond], at) => {
    const choices = [...operations.values()].filter((op) => op.pool === pool);
    let sent = at;
    return setInterval(() => {
      sent += 1;
      const op = choices[(sent * 7) % choices.length] as Operation;
      sendBeside(op, scenarios.find(([every]) => sent % every === 0)?.[1]);
    }, 1000 / perSecond);
  });
  const slowPage = operations.get("browser.html") as Operation;
  const rushBegin = setTimeout(() => {
    timers.push(setInterval(() => sendBeside(slowPage, "slow", hurried), 1000 / rush.perSecond));
  }, rush.afterMs);
  return {
    call: (operation) => send(operations.get(operation) as Operation, undefined, patient),
    async stop() {
      clearTimeout(rushBegin);
      for (const timer of timers) clearInterval(timer);
      while (running.size > 0) await sleep(100);
    },
  };
}
