import { dataDir, readRunning, readSecrets } from "../local/data-folder.ts";
import { CliProblem } from "./problem.ts";
import { given } from "./system.ts";

interface Access {
  url: string;
  authorization: string;
}

/**
 * Finds the dashboards through DASHBOARDS_URL (with METRICS_TOKEN, or DASHBOARDS_USER and
 * DASHBOARDS_PASSWORD), or else through the gateway that runs in DATA_DIR.
 */
function findDashboards(env: NodeJS.ProcessEnv = process.env): Access {
  const dir = dataDir(env);
  const url = given(env, "DASHBOARDS_URL") ?? readRunning(dir)?.dashboardsUrl;
  if (url === undefined) {
    throw new CliProblem(
      "not_running",
      `No gateway is running in ${dir}: start it with npm start, or name its dashboards in DASHBOARDS_URL.`,
    );
  }
  const token = given(env, "METRICS_TOKEN");
  if (token !== undefined) return { url, authorization: `Bearer ${token}` };
  const secrets = given(env, "DASHBOARDS_URL") ? undefined : readSecrets(dir);
  const user = given(env, "DASHBOARDS_USER") ?? secrets?.dashboardsUser ?? "operator";
  const password = given(env, "DASHBOARDS_PASSWORD") ?? secrets?.dashboardsPassword;
  if (password === undefined) {
    throw new CliProblem("setup", "METRICS_TOKEN or DASHBOARDS_PASSWORD is not set.");
  }
  const pair = Buffer.from(`${user}:${password}`).toString("base64");
  return { url, authorization: `Basic ${pair}` };
}

/** Fetches a path of the dashboards as JSON. */
export async function askDashboards(path: string): Promise<unknown> {
  const { url, authorization } = findDashboards();
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
  const message = body.error ?? `status ${response.status}`;
  throw new CliProblem(
    response.status === 401 ? "setup" : response.status === 400 ? "usage" : "unavailable",
    `The dashboards at ${url} answer: ${message}.`,
  );
}
