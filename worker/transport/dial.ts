import { lookup } from "node:dns/promises";
import { isIP, type LookupFunction } from "node:net";
import { Agent, buildConnector } from "undici";
import {
  createResolver,
  parseEgressAllow,
  parseEgressDeny,
  resolveChecked,
} from "../../runtime/egress/rules.ts";

/** Resolves a name and refuses it unless every address may be dialled. Address literals are checked as well. */
type Resolve = (
  host: string,
  port: number,
) => Promise<readonly { address: string; family: number }[]>;

const connectTimeoutMs = 5000;
const idleMs = 4000;

/**
 * Upstream connections behind the SSRF filter: to public addresses, to those in the allow list, and to
 * hosts that the operator has set.
 */
export interface Dialer {
  agent: Agent;
  /** Allows `host:port` from now on, whatever its address. */
  trust(address: string): void;
}

export function createDialer(settings: {
  egressAllow: readonly string[];
  egressDeny?: readonly string[];
  resolver?: string | undefined;
}): Dialer {
  const trusted = new Set<string>();
  const policy = {
    allow: parseEgressAllow(settings.egressAllow),
    deny: parseEgressDeny(settings.egressDeny ?? []),
    resolve: createResolver(settings.resolver),
  };
  const agent = createAgent((host, port) =>
    trusted.has(`${host}:${port}`)
      ? lookup(host, { all: true })
      : resolveChecked(host, port, policy),
  );
  return { agent, trust: (address) => void trusted.add(address) };
}

/** The pool of upstream connections; it dials only addresses that `resolve` returned. */
function createAgent(resolve: Resolve): Agent {
  const connectors = new Map<string, buildConnector.connector>();

  function connectorFor(host: string, port: number): buildConnector.connector {
    const key = `${host}:${port}`;
    const known = connectors.get(key);
    if (known) return known;
    const connector = buildConnector({
      timeout: connectTimeoutMs,
      allowH2: false,
      // Detects within seconds a server that vanishes while we wait for its answer.
      keepAlive: true,
      keepAliveInitialDelay: 1000,
      autoSelectFamily: true,
      lookup: lookupThrough(resolve, port),
    } as buildConnector.BuildOptions);
    connectors.set(key, connector);
    return connector;
  }

  return new Agent({
    allowH2: false,
    keepAliveTimeout: idleMs,
    // The transport has one timer for the whole attempt.
    headersTimeout: 0,
    bodyTimeout: 0,
    connect(options, callback) {
      const port = Number(options.port) || (options.protocol === "https:" ? 443 : 80);
      const host = options.hostname.replace(/^\[|\]$/g, "");
      const dial = () => connectorFor(host, port)({ ...options, hostname: host }, callback);
      if (isIP(host) === 0) return dial();
      // Sockets skip the lookup of address literals, so they are checked here.
      resolve(host, port).then(dial, (error: unknown) => callback(error as Error, null));
    },
  });
}

function lookupThrough(resolve: Resolve, port: number): LookupFunction {
  return (host, options, callback) => {
    resolve(host, port).then(
      (addresses) => {
        const [first] = addresses;
        if (options.all) callback(null, [...addresses]);
        else if (first) callback(null, first.address, first.family);
        else callback(new Error(`no address of ${host}`), "");
      },
      (error: NodeJS.ErrnoException) => callback(error, ""),
    );
  };
}
