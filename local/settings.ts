import * as api from "../api/config.ts";
import * as dashboards from "../dashboards/config.ts";
import { readSettings as read, SettingsError, settingOf } from "../runtime/settings.ts";
import * as worker from "../worker/config.ts";
import type { DataFolder } from "./data-folder.ts";
import { installsFonts } from "./fonts.ts";
import { LocalProblem } from "./problem.ts";
import { portFault } from "./process.ts";

export interface Settings {
  host: string;
  port: number;
  dashboardsHost: string;
  dashboardsPort: number;
  dashboardsUser: string;
  dashboardsPassword: string;
  /** Whether the start generated the dashboards' password. */
  ownPassword: boolean;
  keyPepper: string;
  cursorSecret: string;
}

const secrets = new Set([...api.fileSecrets, ...worker.fileSecrets, ...dashboards.fileSecrets]);

/**
 * The environment with the contents of its files in their place, without empty variables, which would hide the
 * values that the start gives its processes. Throws SettingsError.
 */
export function withFiles(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const read = Object.fromEntries(Object.entries(env).filter(([, value]) => value));
  for (const name of secrets) {
    const value = settingOf(env, name);
    if (value !== undefined) read[name] = value;
    delete read[`${name}_FILE`];
  }
  return read;
}

/** Values in place of those that the start itself gives its processes. */
const added = {
  DATABASE_URL: "postgres://127.0.0.1",
  REDIS_URL: "redis://127.0.0.1",
  KEY_PEPPER: "-".repeat(32),
  CURSOR_SECRET: "-".repeat(32),
  CREDENTIALS_KEY: "-".repeat(32),
  DASHBOARDS_PASSWORD: "-".repeat(8),
};

/** Checks the settings of all processes before the first one starts. Throws SettingsError. */
export function checkProcesses(env: NodeJS.ProcessEnv): void {
  const all = { ...env };
  for (const [name, value] of Object.entries(added)) all[name] ||= value;
  const problems = new Set<string>();
  const checks = [
    () => api.readConfig(all),
    () => read(worker.environment, all, worker.fileSecrets),
    () => dashboards.readConfig(all),
    () => installsFonts(all),
  ];
  for (const check of checks) {
    try {
      check();
    } catch (error) {
      if (!(error instanceof SettingsError)) throw error;
      for (const problem of error.message.split("\n")) problems.add(problem);
    }
  }
  if (problems.size > 0) throw new SettingsError([...problems].join("\n"));
}

function port(env: NodeJS.ProcessEnv, name: string, fallback: number): number {
  const text = env[name] || String(fallback);
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < 1 || value > 65_535) {
    throw new LocalProblem(`${name} is ${text}, but a port is a number from 1 to 65535.`);
  }
  return value;
}

/** Reads the environment; throws LocalProblem with one sentence about an invalid value. */
export function readSettings(env: NodeJS.ProcessEnv, folder: DataFolder): Settings {
  const secrets = folder.secrets();
  const settings = {
    host: env["HOST"] || "127.0.0.1",
    port: port(env, "PORT", 3000),
    dashboardsHost: env["DASHBOARDS_HOST"] || "127.0.0.1",
    dashboardsPort: port(env, "DASHBOARDS_PORT", 3001),
    dashboardsUser: env["DASHBOARDS_USER"] || secrets.dashboardsUser,
    dashboardsPassword: env["DASHBOARDS_PASSWORD"] || secrets.dashboardsPassword,
    ownPassword: !env["DASHBOARDS_PASSWORD"],
    keyPepper: env["KEY_PEPPER"] || secrets.keyPepper,
    cursorSecret: env["CURSOR_SECRET"] || secrets.cursorSecret,
  };
  if (settings.port === settings.dashboardsPort) {
    throw new LocalProblem(
      `PORT and DASHBOARDS_PORT are both ${settings.port}: the API and the dashboards each need their own.`,
    );
  }
  return settings;
}

export async function checkPorts(settings: Settings): Promise<void> {
  const ports = [
    ["PORT", "HOST", settings.host, settings.port],
    ["DASHBOARDS_PORT", "DASHBOARDS_HOST", settings.dashboardsHost, settings.dashboardsPort],
  ] as const;
  for (const [portName, hostName, host, port] of ports) {
    const fault = await portFault(port, host);
    if (fault === undefined) continue;
    if (fault === "EADDRINUSE")
      throw new LocalProblem(
        `Port ${port} on ${host} is in use by another program: stop that one, or set ${portName} to a free port.`,
      );
    if (fault === "EACCES")
      throw new LocalProblem(
        `This user may not listen on port ${port}: set ${portName} to a port above 1023.`,
      );
    throw new LocalProblem(
      `Nothing can listen on ${host} (${fault}): set ${hostName} to an address of this machine.`,
    );
  }
}
