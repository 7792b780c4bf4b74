import { connect } from "node:net";
import type { Socket } from "node:net";
import { resolveChecked } from "../../runtime/egress/rules.ts";
import type { EgressPolicy } from "../../runtime/egress/rules.ts";

const connectMs = 10_000;

/**
 * Connects to a host after the SSRF filter has checked all its addresses. The socket dials exactly those: `lookup`
 * hands them over instead of asking the name server again. Throws EgressError.
 */
export async function dialChecked(
  host: string,
  port: number,
  policy: EgressPolicy,
): Promise<Socket> {
  const addresses = await resolveChecked(host, port, policy);
  return new Promise((resolve, reject) => {
    const socket = connect({
      host: "checked.invalid",
      port,
      lookup: (_name, _options, found) => found(null, addresses),
      autoSelectFamily: true,
      autoSelectFamilyAttemptTimeout: 1000,
      noDelay: true,
    });
    const timer = setTimeout(() => socket.destroy(new Error("connect timed out")), connectMs);
    socket.once("connect", () => {
      clearTimeout(timer);
      resolve(socket);
    });
    socket.once("error", (error) => {
      clearTimeout(timer);
      reject(error);
    });
  });
}
