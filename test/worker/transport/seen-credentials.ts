import { expect } from "vitest";
import { namesOf, type OwnCredential } from "../../../runtime/own-credentials.ts";
import { upstreams } from "../../../worker/sandbox/upstreams.ts";
import type { Heard } from "../../../worker/transport/heard.ts";
import type { Upstream } from "../../../worker/transport/upstream.ts";
import type { Arrived } from "../../upstream/all.ts";

/** Secrets that name their owner, and the check of whose secret each request carries. */

let made = 0;
/** In characters that no encoding changes. */
export const secretOf = (owner: string, variable: string): string =>
  `cred-${owner}-${variable.toLowerCase().replaceAll("_", "-")}-${(made += 1)}-end`;

export function secretsIn({ headers, url, body }: Arrived): string[] {
  const pair = /^Basic (.+)$/.exec(headers.authorization ?? "")?.[1] ?? "";
  const text = [JSON.stringify(headers), Buffer.from(pair, "base64").toString(), url, body].join();
  return [...new Set(text.match(/cred-[a-z0-9-]+?-end/g))];
}

/** The operator's secrets, also those that upstreams do not require. */
export const operator = Object.fromEntries(
  upstreams
    .flatMap(({ credentials, optional }) => [
      ...credentials,
      ...(optional ? [optional.credential] : []),
    ])
    .map((variable) => [variable, secretOf("operator", variable)]),
);

interface SeenRequest {
  secrets: string[];
  url: string;
  isToken: boolean;
}

/** Requests as they arrived, and the calls that sent them. */
export class Seen {
  readonly #requests: SeenRequest[] = [];
  readonly #heard = new Map<number, { account: string; upstream: string }>();
  /** Upstream -> the owners of the credentials that it received. */
  readonly owners = new Map<string, Set<string>>();
  #checked = 0;

  get count(): number {
    return this.#requests.length;
  }

  arrived(request: Arrived): string {
    const isToken = /\/(oauth2\/token|access_token)$/.test(request.url);
    this.#requests.push({ secrets: secretsIn(request), url: request.url, isToken });
    return String(this.#requests.length - 1);
  }

  hear({ requestId, upstream, incoming }: Heard): void {
    const account = requestId.split("_")[1] as string;
    this.#heard.set(Number(incoming.headers["x-arrived"]), { account, upstream });
  }

  /** Checks the requests since the last time. */
  check(held: ReadonlyMap<string, OwnCredential[]>): void {
    for (; this.#checked < this.#requests.length; this.#checked += 1)
      this.#checkOne(this.#checked, held);
  }

  #checkOne(index: number, held: ReadonlyMap<string, OwnCredential[]>): void {
    const { secrets, url, isToken } = this.#requests[index] as SeenRequest;
    const owners = new Set(secrets.map((secret) => secret.split("-")[1] as string));
    expect(owners.size, url).toBeLessThanOrEqual(1);
    const { account, upstream: name } = this.#heard.get(index) ?? {};
    const upstream = upstreams.find((one) => one.name === name);
    if (account === undefined || !upstream) {
      // A request for a token, or one to a server that the caller chose.
      expect(isToken || secrets.length === 0, url).toBe(true);
      return;
    }
    const expected = expectedOf(upstream, held.get(account) ?? []);
    const wrong = secrets.filter((secret) => !expected.includes(secret));
    expect(wrong, `${account} ${url}`).toEqual([]);
    if (upstream.credentials.length > 0 && hasSecret(upstream))
      expect(secrets.length, url).toBeGreaterThan(0);
    const known = this.owners.get(upstream.name) ?? new Set();
    this.owners.set(upstream.name, new Set([...known, ...owners]));
  }
}

/** A source may ask for a statement in place of a secret, which no request carries. */
const hasSecret = (upstream: Upstream): boolean =>
  upstream.authorize !== undefined || upstream.credentialQuery !== undefined;

function expectedOf({ credentials, optional }: Upstream, own: OwnCredential[]): string[] {
  const mine = own.find(({ names }) => names === namesOf(credentials));
  if (mine && credentials.length > 0) return Object.values(mine.secrets);
  const names = [...credentials, ...(optional ? [optional.credential] : [])];
  return names.map((name) => operator[name] as string);
}
