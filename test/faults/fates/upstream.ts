import { randomBytes } from "node:crypto";
import { type Simulator, startSimulator } from "../../upstream/simulator.ts";
import { tikhub } from "../../upstream/tikhub.ts";

/** The far end of a lane's live calls: one upstream with credentials, a page too large for a replay's row, and one that is held back. */

/** The operator's credential for the upstream. */
const operators = "operators-tikhub-key";
/** Key with which own credentials are encrypted. */
export const operatorsKey = "credentials-key-of-the-fates-0123456789";

const largePath = "/large";
const heldPath = "/held/";
/** Of a page, in bytes; random, so that it stays large when it is compressed. */
const largeBytes = 200_000;

export interface Upstream {
  /** For the processes of the gateway. */
  env: Record<string, string>;
  largePage: string;
  /** A page of this account that is never answered. */
  heldPage(account: number): string;
  /** Whether such a page was requested. */
  isHeld(account: number): boolean;
  /** Calls that carried this credential; the operator's without one. */
  callsWith(credential?: string): number;
  stop(): Promise<void>;
}

export async function startUpstream(): Promise<Upstream> {
  const words =
    randomBytes(largeBytes / 2)
      .toString("hex")
      .match(/.{1,8}/g) ?? [];
  const page = `<html><title>Large</title><body><p>${words.join(" ")}</p></body></html>`;
  const simulator: Simulator = await startSimulator([
    tikhub(),
    (pages) =>
      pages.on("GET", largePath, () => ({ headers: { "content-type": "text/html" }, body: page })),
    (pages) => pages.on("GET", `${heldPath}{account}`, () => new Promise(() => undefined)),
  ]);
  const { url } = simulator;
  return {
    env: {
      TIKHUB_BASE_URL: url,
      TIKHUB_API_KEY: operators,
      CREDENTIALS_KEY: operatorsKey,
      EGRESS_ALLOW: new URL(url).host,
    },
    largePage: url + largePath,
    heldPage: (account) => `${url}${heldPath}${account}`,
    isHeld: (account) => simulator.calls(`${heldPath}${account}`).length > 0,
    callsWith: (credential = operators) =>
      simulator.calls().filter(({ headers }) => headers["authorization"] === `Bearer ${credential}`)
        .length,
    stop: () => simulator.stop(),
  };
}
