import { hostOf } from "../../worker/areas/seo/target.ts";
import { dataforseo as samples } from "../../worker/sandbox/dataforseo.ts";
import type { Answer, Provider, Recorded } from "./simulator.ts";

type Task = Record<string, unknown>;

const mostTargets = 1000;
const mostHosts = 100;

/**
 * DataForSEO over HTTP, strict about its requirements: the credential, one task in an array, and
 * its maxima. It answers with the samples. A target on a host that begins with "fails." fails its
 * whole task.
 */
export function dataforseo(options: { login?: string; password?: string } = {}): Provider {
  return (simulator) => {
    for (const [route, sample] of Object.entries(samples.answers)) {
      const [method, path] = route.split(" ") as ["GET" | "POST", string];
      simulator.on(method, path, (request, parts) => {
        const refusal = refused(request, options);
        if (refusal) return refusal;
        const { body } = request;
        return { body: sample({ method, path, body, parts, empty: false, secondPage: false }) };
      });
    }
  };
}

function refused(
  request: Recorded,
  { login, password }: { login?: string; password?: string },
): Answer | undefined {
  const [scheme, encoded = ""] = (request.headers["authorization"] ?? "").split(" ");
  const [name = "", word = ""] = Buffer.from(encoded, "base64").toString().split(":");
  const known = (login ?? name) === name && (password ?? word) === word && name !== "";
  if (scheme !== "Basic" || !known) return { status: 401, body: failed(40100, "Not authorized.") };
  if (!Array.isArray(request.body)) return { body: failed(40503, "POST data is invalid.") };
  const tasks = request.body as Task[];
  const [task] = tasks;
  if (task === undefined || tasks.length !== 1) {
    return { body: taskFailed(40000, "You can set only one task at a time.") };
  }
  const listed: unknown[] = Array.isArray(task.targets) ? task.targets : [];
  // Groups of mentions are objects under the same name.
  const targets = listed.filter((target) => typeof target === "string");
  const hosts = new Set(targets.map(hostOf));
  const tooManyHosts = request.path.includes("bulk_pages_summary") && hosts.size > mostHosts;
  if (targets.length > mostTargets || tooManyHosts || targets.some((target) => / /.test(target))) {
    return { body: taskFailed(40501, "Invalid Field: 'targets'.") };
  }
  if (targets.some((target) => hostOf(target).startsWith("fails."))) {
    return { body: taskFailed(40505, "The version is no longer there.") };
  }
  return undefined;
}

/** A refusal of the account itself. */
function failed(code: number, message: string): unknown {
  return { status_code: code, status_message: message, tasks_count: 0, tasks: null };
}

function taskFailed(code: number, message: string): unknown {
  const task = { status_code: code, status_message: message, cost: 0, result: null };
  return { status_code: 20000, status_message: "Ok.", tasks_error: 1, tasks: [task] };
}
