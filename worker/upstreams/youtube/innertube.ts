import type { Session } from "youtubei.js";
import { GatewayError } from "../../../contract/errors.ts";
import type { Call } from "../../connector.ts";
import { operatorRetryAfter, unavailable } from "../../transport/fault.ts";
import { parseJson } from "../../mapping/json.ts";
import { need } from "#wire";
import { youtube } from "./client.ts";

/** One request to the video site's own interface. */
export interface Question {
  path: "/browse" | "/next" | "/player" | "/search" | "/navigation/resolve_url";
  body: Record<string, unknown>;
  /** Client application to identify as; the web site when absent. */
  client?: "VISIONOS" | "ANDROID";
  /** ISO 3166-1 alpha-2 code. */
  country?: string | undefined;
  /** English when absent: counts and ages are read as English text. */
  language?: string | undefined;
  /** Visitor that a continuation was issued to. */
  visitor?: string | undefined;
}

type Library = typeof import("youtubei.js");
type SessionData = Awaited<ReturnType<Library["Session"]["getSessionData"]>>;

/** The library costs 60 MB and a second of a processor, so it is loaded by the first call that needs it. */
let library: Promise<Library> | undefined;
const sessions = new Map<string, Promise<SessionData>>();
const sessionsKept = 64;

/**
 * Identity of this process towards the site, one for each country and mode. It is generated locally,
 * without a request.
 */
async function sessionData(mode: string, country: string): Promise<SessionData> {
  library ??= import("youtubei.js");
  const { Session, Log } = await library;
  Log.setLevel(Log.Level.NONE);
  const key = `${mode}:${country}`;
  const known = sessions.get(key);
  if (known) return known;
  // English whatever the country: counts and ages are read as English text.
  const made = Session.getSessionData(
    "en",
    country,
    0,
    "",
    undefined,
    false,
    true,
    true,
    "desktop",
    undefined,
    "UTC",
    () => Promise.reject(new Error("a session is made without the network")),
    undefined,
    undefined,
    false,
    undefined,
    false,
  );
  if (sessions.size >= sessionsKept) sessions.delete(sessions.keys().next().value as string);
  sessions.set(key, made);
  return made;
}

/** Id of this process's visitor; a continuation works only for the visitor it was issued to. */
export async function visitorOf(call: Call, country = "US"): Promise<string> {
  return (await sessionData(call.mode, country)).context.client.visitorData ?? "";
}

/**
 * Sends a request to the site. The library builds it (context, client versions, headers); the answer is
 * judged and read here as plain JSON, since the library's own parsing changes with every version.
 */
export async function ask(call: Call, question: Question): Promise<unknown> {
  const session = await openSession(call, question);
  let body: unknown;
  const send = call.fetchFor(youtube);
  const read = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const response = await send(input, { ...init, signal: call.signal });
    body = parseJson(await response.text());
    const headers = Object.fromEntries(response.headers);
    refuse(call, { status: response.status, headers, body });
    return new Response(null, { status: 200 });
  };
  const { Session: Opened } = await (library as Promise<Library>);
  const { context, api_key: key, api_version: version } = session;
  const opened: Session = new Opened(
    context,
    key,
    version,
    0,
    undefined,
    undefined,
    undefined,
    read as typeof fetch,
  );
  await opened.http.fetch(question.path, {
    method: "POST",
    body: JSON.stringify({ ...question.body, client: question.client }),
    headers: { "Content-Type": "application/json" },
  });
  return need(body, question.path);
}

async function openSession(call: Call, question: Question): Promise<SessionData> {
  const data = await sessionData(call.mode, question.country ?? "US");
  const { visitor, language } = question;
  if (visitor === undefined && language === undefined) return data;
  const client = {
    ...data.context.client,
    ...(visitor === undefined ? {} : { visitorData: visitor }),
    ...(language === undefined ? {} : { hl: language }),
  };
  return { ...data, context: { ...data.context, client } };
}

function refuse(call: Call, reply: Parameters<typeof youtube.judge>[0]): void {
  const verdict = youtube.judge(reply);
  if (verdict.ok) return;
  if (verdict.operator !== undefined) {
    call.log("error", "operator must act", { upstream: youtube.name, cause: verdict.operator });
    throw unavailable(operatorRetryAfter);
  }
  if (verdict.type === "upstream_unavailable") throw unavailable(verdict.retryAfter);
  throw new GatewayError(verdict.type, verdict.message);
}
