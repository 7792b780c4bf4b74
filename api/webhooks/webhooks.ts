import { randomUUID } from "node:crypto";
import { GatewayError, invalid } from "../../contract/errors.ts";
import type { Database } from "../../db/client.ts";
import { DatabaseError } from "../../db/errors.ts";
import {
  type WebhookEndpoint,
  addWebhookEndpoint,
  directEndpoint,
  rotateWebhookSecret,
  webhookEndpoints,
  withdrawWebhookEndpoint,
  withdrawWebhookSecret,
} from "../../db/webhook-endpoints.ts";
import type { EarlierWrite, OwnWrite } from "../../db/own-writes.ts";
import { type WebhookEvent, emitWebhooks, nameWebhookAddress } from "../../db/webhooks.ts";
import type { EgressPolicy } from "../../runtime/egress/rules.ts";
import { type WebhookSettings, webhookPolicy } from "../../runtime/egress/webhooks.ts";
import { retryStore } from "../stores.ts";
import { type Location, checkedDestination } from "./destination.ts";
import { type Sealer, newSecret } from "./signing.ts";
import { type Stores, withdrawnUnlessKnown } from "./withdraw.ts";
import type { Owner } from "../../db/owner.ts";

interface Secret {
  endpoint: WebhookEndpoint;
  secret: string;
  /** The request with the same key that made this secret. */
  earlier?: EarlierWrite | undefined;
}

/** Webhook operations for the rest of the API. */
export class Webhooks {
  readonly #db: Database;
  readonly #sealer: Sealer;
  readonly #policy: EgressPolicy;

  constructor(db: Database, sealer: Sealer, settings: WebhookSettings) {
    this.#db = db;
    this.#sealer = sealer;
    this.#policy = webhookPolicy(settings);
  }

  /** Validates a URL that a caller registers and returns its normal form; throws the error for the caller. */
  check(url: string, location: Location): Promise<string> {
    return checkedDestination(url, location, this.#policy);
  }

  /** The same for the URL of one job or batch, which is signed with the secret of `direct`. */
  async #checkDirect(owner: Owner, url: string, location: Location): Promise<string> {
    const href = await this.check(url, location);
    if ((await retryStore(() => directEndpoint(this.#db, owner))) !== undefined) return href;
    const message = `${location.path}: there is no secret to sign it with; POST /webhooks/direct/rotate-secret makes one`;
    throw invalid(location.in, location.path, "secret_required", message);
  }

  /** Sends the events of a job or batch to this URL as well; must run before it can end. */
  async name(owner: Owner, subject: string, url: string, location: Location): Promise<void> {
    const href = await this.#checkDirect(owner, url, location);
    await retryStore(() => nameWebhookAddress(this.#db, owner, subject, href));
  }

  /**
   * Call right after the change that the events report; may be repeated. Events hold ids and states, never
   * results or keys.
   */
  async emit(events: readonly WebhookEvent[]): Promise<void> {
    await emitWebhooks(this.#db, events);
  }

  /**
   * Registers a URL, or creates `direct` without one; the secret is returned to this request and to those that
   * repeat it with its key. An endpoint whose caller cannot receive the secret is removed again.
   */
  async add(
    owner: Owner,
    endpoint: { url: string | null; description: string; events: readonly string[] },
    stores: Stores,
    write?: OwnWrite,
  ): Promise<Secret> {
    const id = `whe_${randomUUID().replaceAll("-", "")}`;
    const secret = newSecret();
    const sealed = this.#sealer.seal(secret, id);
    const db = this.#db;
    const added = await withdrawnUnlessKnown(id, stores, {
      async send(notAfter) {
        const sent = { ...endpoint, id, secret: sealed, notAfter };
        const earlier = await addWebhookEndpoint(db, owner, sent, write);
        const [found] = await webhookEndpoints(db, owner, earlier?.subject ?? id);
        if (!found && !earlier) throw new Error("A new endpoint was not found.");
        return { found, earlier };
      },
      withdraw: () => withdrawWebhookEndpoint(db, owner, id, write),
    });
    const { found, earlier } = added;
    if (!found)
      throw new GatewayError("not_found", "The endpoint that this key registered was removed");
    return { endpoint: found, secret: this.#shown(earlier) ?? secret, earlier };
  }

  #shown(earlier: EarlierWrite | undefined): string | undefined {
    return earlier?.secret && this.#sealer.open(earlier.secret, earlier.subject);
  }

  /** Returns the new secret, or undefined when the endpoint does not exist. */
  async rotate(
    owner: Owner,
    id: string,
    overlapMs: number,
    stores: Stores,
    write?: OwnWrite,
  ): Promise<Secret | undefined> {
    const secret = newSecret();
    const sealed = { id, secret: this.#sealer.seal(secret, id) };
    const db = this.#db;
    const { found, earlier } = await withdrawnUnlessKnown(id, stores, {
      async send(notAfter) {
        const sent = { ...sealed, notAfter };
        const rotated = await rotateWebhookSecret(db, owner, sent, overlapMs, write);
        const [found] = await webhookEndpoints(db, owner, id);
        if (found && !rotated)
          throw new DatabaseError("unavailable", "A secret came too late to be stored.");
        return { found, earlier: typeof rotated === "object" ? rotated : undefined };
      },
      withdraw: () => withdrawWebhookSecret(db, owner, sealed, write),
    });
    return found && { endpoint: found, secret: this.#shown(earlier) ?? secret, earlier };
  }
}

/** Translates a refused registration for the caller; returns any other error unchanged. */
export function refusedRegistration(error: unknown): unknown {
  if (!(error instanceof DatabaseError)) return error;
  if (error.code === "endpoint_limit")
    return invalid("body", "", "endpoint_limit", `${error.message} Remove one first.`);
  if (error.code === "endpoint_exists")
    return invalid("body", "url", "duplicate", "url: is registered already");
  return error;
}
