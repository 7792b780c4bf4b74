import { dataDir, readRunning, readSecrets } from "../local/data-folder.ts";
import { settingOf } from "../runtime/settings.ts";
import { isHttpUrl } from "./arguments.ts";
import { CliProblem } from "./problem.ts";

interface Access {
  url: string;
  authorization: string;
  /** The variable that holds the secret. */
  secret: string;
}

/**
 * Finds the dashboards through DASHBOARDS_URL (with METRICS_TOKEN, or DASHBOARDS_USER and
 * DASHBOARDS_PASSWORD), or else through the gateway that runs in DATA_DIR.
 */
function findDashboards(env: NodeJS.ProcessEnv = process.env): Access {
  const dir = dataDir(env);
  const url = settingOf(env, "DASHBOARDS_URL") ?? readRunning(dir)?.dashboardsUrl;
  if (url === undefined) {
    throw new CliProblem(
      "not_running",
      `No gateway is running in ${dir}: start it with npm start, or name its dashboards in DASHBOARDS_URL.`,
    );
  }
  if (!isHttpUrl(url)) throw new CliProblem("setup", `DASHBOARDS_URL: ${url} is no http(s) URL.`);
  const token = settingOf(env, "METRICS_TOKEN");
  if (token !== undefined)
    return { url, authorization: `Bearer ${token}`, secret: "METRICS_TOKEN" };
  const secrets = settingOf(env, "DASHBOARDS_URL") ? undefined : readSecrets(dir);
  const user = settingOf(env, "DASHBOARDS_USER") ?? secrets?.dashboardsUser ?? "operator";
  const password = settingOf(env, "DASHBOARDS_PASSWORD") ?? secrets?.dashboardsPassword;
  if (password === undefined) {
    throw new CliProblem("setup", "METRICS_TOKEN or DASHBOARDS_PASSWORD is not set.");
  }
  const pair = Buffer.from(`${user}:${password}`).toString("base64");
  return { url, authorization: `Basic ${pair}`, secret: "DASHBOARDS_PASSWORD" };
}

/** Fetches a path of the dashboards as JSON. */
export async function askDashboards(path: string): Promise<unknown> {
  const { url, authorization, secret } = findDashboards();
  let response: Response;
  try {
    response = await fetch(new URL(path, url), {
      headers: { authorization, accept: "application/json" },
      redirect: "manual",
      signal: AbortSignal.timeout(15_000),
    });
  } catch (error) {
    throw new CliProblem("unavailable", `The dashboards at ${url} do not answer.`, {
      cause: error,
    });
  }
  const body = (await response.json().catch(() => ({}))) as { error?: string };
  if (response.ok) return body;
  if (response.status === 401) {
    const text = `The dashboards at ${url} refuse ${secret}: it must have the value that they were started with.`;
    throw new CliProblem("setup", text);
  }
  const message = body.error ?? `status ${response.status}`;
  throw new CliProblem(
    response.status === 400 ? "usage" : "unavailable",
    `The dashboards at ${url} answer: ${message}.`,
  );
}
