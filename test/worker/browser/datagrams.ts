import { createSocket } from "node:dgram";
import { readFileSync } from "node:fs";

/** UDP datagrams sent by any process of this network namespace since its creation. */
export function datagramsSent(): number {
  const [names = [], values = []] = readFileSync("/proc/net/snmp", "utf8")
    .split("\n")
    .filter((line) => line.startsWith("Udp:"))
    .map((line) => line.split(" "));
  const six = /^Udp6OutDatagrams\s+(\d+)/m.exec(readFileSync("/proc/net/snmp6", "utf8"))?.[1];
  return Number(values[names.indexOf("OutDatagrams")]) + Number(six ?? 0);
}

export interface UdpDecoy {
  packets: number;
  close(): Promise<void>;
}

/** Counts received datagrams and never answers. */
export async function startUdpDecoy(address: string, port: number): Promise<UdpDecoy> {
  const socket = createSocket(address.includes(":") ? "udp6" : "udp4");
  const decoy: UdpDecoy = {
    packets: 0,
    close: () => new Promise((resolve) => socket.close(() => resolve())),
  };
  socket.on("message", () => (decoy.packets += 1));
  await new Promise<void>((resolve, reject) => {
    socket.once("error", reject);
    socket.bind(port, address, resolve);
  });
  return decoy;
}
