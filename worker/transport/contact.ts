import { type Environment, isConfigured } from "./secrets.ts";
import type { Upstream } from "./upstream.ts";

export const userAgent = "public-data-gateway/1.0";

/** The operator's e-mail address or web page, which open sources want to know. */
export const contactVariable = "CONTACT";

/** Headers and query parameters that carry the operator's contact. */
export interface ContactParts {
  headers: Record<string, string>;
  query: Record<string, string>;
}

const isAddress = (contact: string) => contact.includes("@") && !contact.includes("/");

/**
 * The parts of a request that carry the operator's contact; undefined where the upstream requires one that
 * is not configured. A query parameter takes an e-mail address only.
 */
export function contactParts(upstream: Upstream, env: Environment): ContactParts | undefined {
  const { contact } = upstream;
  if (!contact) return { headers: {}, query: {} };
  const value = env[contactVariable]?.trim() ?? "";
  const inQuery = contact.query !== undefined && isAddress(value);
  if (contact.required && (value === "" || (contact.query !== undefined && !inQuery))) {
    return undefined;
  }
  return {
    headers: value === "" ? {} : { "user-agent": `${userAgent} (${value})` },
    query: inQuery ? { [contact.query as string]: value } : {},
  };
}

/** The rate and concurrency limits that the source allows this operator. */
export function limitsOf(upstream: Upstream, env: Environment): Upstream["limits"] {
  const { optional } = upstream;
  if (optional?.limits && isConfigured(optional.credential, env)) return optional.limits;
  const hasContact = (env[contactVariable]?.trim() ?? "") !== "";
  return hasContact ? upstream.limits : (upstream.contact?.without ?? upstream.limits);
}
