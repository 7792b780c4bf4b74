import type { JobData } from "../runtime/queue.ts";
import { namesOf, openForJob, type OwnCredential } from "../runtime/own-credentials.ts";
import type { OwnCredentials } from "./connector.ts";
import type { Upstream } from "./transport/upstream.ts";

/**
 * The own credentials that a job carries, decrypted when the first upstream asks for one. It also adds up who pays
 * the upstreams of the call.
 */
export class CredentialsOfJob implements OwnCredentials {
  readonly #names: ReadonlySet<string>;
  readonly #read: () => readonly OwnCredential[] | undefined;
  #opened: ReadonlyMap<string, OwnCredential> | undefined;
  #ownPercent: number | undefined;
  #isOperatorAsked = false;

  constructor(requestId: string, { own, account, tenant }: JobData, keys: readonly string[]) {
    this.#names = new Set(own?.names ?? []);
    this.#read = () =>
      own?.sealed === undefined
        ? undefined
        : openForJob(keys, requestId, account ?? tenant, own.sealed);
  }

  of(variables: readonly string[]): OwnCredential | "unreadable" | undefined {
    const names = namesOf(variables);
    if (!this.#names.has(names)) return undefined;
    this.#opened ??= new Map((this.#read() ?? []).map((one) => [one.names, one]));
    return this.#opened.get(names) ?? "unreadable";
  }

  /** Notes an answer of an upstream. */
  answered({ credentials }: Upstream): void {
    if (credentials.length === 0) return;
    const own = this.of(credentials);
    if (own === undefined || own === "unreadable") this.#isOperatorAsked = true;
    else this.#ownPercent = Math.max(this.#ownPercent ?? 0, own.pricePercent);
  }

  /** Price of a record in percent, where every answer came by own credentials; else the full price. */
  get pricePercent(): number | undefined {
    return this.#isOperatorAsked ? undefined : this.#ownPercent;
  }
}
