import { pino } from "pino";
import { logDestination } from "../runtime/log-destination.ts";
import type { Call } from "./connector.ts";

/** Structured log lines on standard output. Callers pass no keys, credentials, cookies or bodies. */
export function createLog(level: string): Call["log"] {
  const log = pino({ level, base: { role: "worker", pid: process.pid } }, logDestination());
  return (at, message, fields) => {
    const { error, ...rest } = fields ?? {};
    log[at](error === undefined ? rest : { ...rest, err: error }, message);
  };
}
