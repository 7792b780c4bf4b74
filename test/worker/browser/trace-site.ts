import type { IncomingMessage, ServerResponse } from "node:http";
import { html, startSite } from "./rig.ts";
import type { Site } from "./rig.ts";
import { framePlantPage, frameReadPage, plantPage, readPage } from "./trace-pages.ts";
import { resources, traces } from "./traces.ts";

export interface TraceSite {
  /** "127.0.0.1:port": app, subdomain and second origin are names of one address. */
  address: string;
  plantUrl(names: readonly string[], v: string, options?: { hold?: boolean }): string;
  readUrl(v: string, options?: { bounced?: boolean }): string;
  /** Clears the trial's requests, so that the following ones are the reader's. */
  begin(v: string): void;
  /** Traces that the server itself recognises in the requests since `begin`. */
  observed(v: string): string[];
  /** Resolves when the page of this trial has planted its traces. */
  planted(v: string): Promise<void>;
  /** Lets the trial's held planting page end. */
  leave(v: string): void;
  close(): Promise<void>;
}

interface TraceRequest {
  path: string;
  method: string;
  headers: IncomingMessage["headers"];
}

const slowMs = 300;
const types: Record<string, string> = {
  css: "text/css",
  script: "text/javascript",
  module: "text/javascript",
  image: "image/svg+xml",
};
const bodies: Record<string, string> = {
  image: "<svg xmlns='http://www.w3.org/2000/svg' width='1' height='1'/>",
};

/** A site that plants given traces and records each trial's requests. */
export async function startTraceSite(): Promise<TraceSite> {
  const requestsByTrial = new Map<string, TraceRequest[]>();
  const held = new Map<string, ServerResponse>();
  const staying = new Map<string, ServerResponse>();
  const notes = new Map<string, string>();
  const waiting = new Map<string, () => void>();
  let site: Site;
  const origin = (name: string) => `http://${name}.localhost:${site.port}`;

  function answer(request: IncomingMessage, response: ServerResponse): void {
    const url = new URL(request.url ?? "", "http://site");
    const v = url.searchParams.get("v") ?? "";
    const { pathname: path } = url;
    if (v && path !== "/planted" && path !== "/stay") {
      requestsByTrial
        .get(v)
        ?.push({ path, method: request.method ?? "", headers: request.headers });
    }
    const send = (body: string, headers: Record<string, string> = {}) =>
      response.writeHead(200, headers).end(body);
    const kind = path.split("/")[2] ?? "";
    if (path === "/plant") {
      const names = url.searchParams.getAll("t");
      const selected = traces.filter(({ name }) => names.includes(name));
      for (const { headers = {} } of selected) {
        for (const [name, value] of Object.entries(headers)) response.appendHeader(name, value);
      }
      const plants = selected.map(({ plant }) => plant).join("\n");
      html(response, plantPage(origin("other"), origin("sub.app"), plants));
    } else if (path === "/read") {
      response.setHeader("cache-control", "max-age=60");
      html(response, readPage(origin("other"), origin("sub.app")));
    } else if (path === "/bounce") {
      response.setHeader("set-cookie", "bounced=1; Max-Age=999");
      response.writeHead(302, { location: url.searchParams.get("to") ?? "" }).end();
    } else if (path === "/frame-plant") html(response, framePlantPage);
    else if (path === "/frame-read") html(response, frameReadPage);
    else if (path === "/worker.js") send("onfetch=()=>{}", { "content-type": "text/javascript" });
    else if (path === "/shared.js") {
      send("let n=0;onconnect=e=>e.ports[0].postMessage(++n)", {
        "content-type": "text/javascript",
      });
    } else if (path.startsWith("/resource/")) {
      const headers = {
        "content-type": types[kind] ?? "application/octet-stream",
        "cache-control": "max-age=9999",
      };
      setTimeout(() => send(bodies[kind] ?? "/* */", headers), slowMs);
    } else if (path === "/auth/in" && request.headers.authorization === undefined) {
      response.writeHead(401, { "www-authenticate": "Basic realm=x" }).end("no");
    } else if (path === "/etag") send("e", { etag: '"1"', "cache-control": "no-cache" });
    else if (path === "/modified") {
      send("m", {
        "last-modified": "Sat, 01 Jan 2022 00:00:00 GMT",
        "cache-control": "no-cache",
      });
    } else if (path === "/preflight") {
      send("p", {
        "access-control-allow-origin": "*",
        "access-control-allow-headers": "x-t",
        "access-control-max-age": "600",
      });
    } else if (path === "/cookie") {
      send("c", { "set-cookie": `sub=1; Domain=${url.searchParams.get("domain")}; Max-Age=999` });
    } else if (path === "/note") {
      notes.set(v, url.searchParams.get("url") ?? "");
      send("");
    } else if (path === "/noted") send(notes.get(v) ?? "", { "cache-control": "no-store" });
    else if (path === "/planted") {
      waiting.get(v)?.();
      send("");
    } else if (path === "/stay") staying.set(v, response);
    else if (path === "/held") held.set(url.search, response);
    else if (path === "/release") {
      held.get(url.search)?.end();
      held.delete(url.search);
      send("");
    } else send("");
  }
  site = await startSite(answer);

  const bounce = (url: string, v: string, bounced: boolean | undefined) =>
    bounced ? `${origin("other")}/bounce?v=${v}&to=${encodeURIComponent(url)}` : url;

  return {
    address: `127.0.0.1:${site.port}`,
    plantUrl(names, v, { hold } = {}) {
      const query = names.map((name) => `&t=${encodeURIComponent(name)}`).join("");
      const bounced = traces.some(({ name, bounced: by }) => by && names.includes(name));
      return bounce(`${origin("app")}/plant?v=${v}${query}${hold ? "&hold" : ""}`, v, bounced);
    },
    readUrl: (v, { bounced } = {}) =>
      bounce(`${origin("app")}/read?v=${v}${bounced ? "&bounced" : ""}`, v, bounced),
    begin: (v) => void requestsByTrial.set(v, []),
    observed(v) {
      const seen = new Set<string>();
      const requests = requestsByTrial.get(v) ?? [];
      const was = (path: string, method = "GET") =>
        requests.some((entry) => entry.path === path && entry.method === method);
      for (const { path, headers } of requests) {
        for (const cookie of headers.cookie?.split("; ") ?? []) {
          const [name] = cookie.split("=");
          seen.add(path === "/bounce" ? "bounce:cookie" : `header:cookie ${name}`);
        }
        for (const name of Object.keys(headers)) {
          if (suspicious.has(name)) seen.add(`header:${name}`);
          if (clientHint.test(name)) seen.add("header:client hint");
        }
      }
      for (const kind of resources) if (!was(`/resource/${kind}`)) seen.add(`cache:${kind}`);
      if (!was("/read")) seen.add("cache:document");
      if (!was("/preflight", "OPTIONS")) seen.add("preflight");
      return [...seen];
    },
    planted: (v) => new Promise((resolve) => waiting.set(v, resolve)),
    leave: (v) => void staying.get(v)?.end(),
    close: () => site.close(),
  };
}

const suspicious = new Set(["authorization", "if-none-match", "if-modified-since"]);
/** Client hints that a server receives only after asking for them. */
const clientHint = /^sec-ch-(ua-full-version-list|ua-arch|device-memory)$/;
