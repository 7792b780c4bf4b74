import { createSocket } from "node:dgram";

/** A name's answer to its n-th look-up of an IPv4 address: addresses, or another name. */
export type Zone = Record<string, (lookup: number) => string[] | { alias: string; to: string[] }>;

export interface NameServer {
  /** "ip:port" */
  address: string;
  queries: string[];
  close(): Promise<void>;
}

/** A real DNS server over UDP for a handful of names; all others do not exist. */
export async function startNameServer(zone: Zone): Promise<NameServer> {
  const socket = createSocket("udp4");
  const queries: string[] = [];
  const lookups = new Map<string, number>();
  socket.on("message", (query, peer) => {
    const name = readName(query);
    const end = 12 + name.length + 2;
    const type = query.readUInt16BE(end);
    const question = query.subarray(12, end + 4);
    queries.push(`${type}:${name}`);
    const known = zone[name];
    let records: Buffer[] = [];
    if (known && type === 1) {
      const count = (lookups.get(name) ?? 0) + 1;
      lookups.set(name, count);
      const answer = known(count);
      records = Array.isArray(answer)
        ? answer.map((ip) => record(encodeName(name), 1, addressBytes(ip)))
        : [
            record(encodeName(name), 5, encodeName(answer.alias)),
            ...answer.to.map((ip) => record(encodeName(answer.alias), 1, addressBytes(ip))),
          ];
    }
    const header = Buffer.alloc(12);
    query.copy(header, 0, 0, 2);
    header.writeUInt16BE(known ? 0x8180 : 0x8183, 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(records.length, 6);
    socket.send(Buffer.concat([header, question, ...records]), peer.port, peer.address);
  });
  await new Promise<void>((resolve) => socket.bind(0, "127.0.0.1", resolve));
  return {
    address: `127.0.0.1:${socket.address().port}`,
    queries,
    close: () => new Promise((resolve) => socket.close(() => resolve())),
  };
}

function readName(query: Buffer): string {
  const labels: string[] = [];
  for (let at = 12; query[at]; at += (query[at] ?? 0) + 1) {
    labels.push(query.toString("latin1", at + 1, at + 1 + (query[at] ?? 0)));
  }
  return labels.join(".").toLowerCase();
}

function encodeName(name: string): Buffer {
  const labels = name.split(".").map((label) => [label.length, ...Buffer.from(label)]);
  return Buffer.from([...labels.flat(), 0]);
}

function addressBytes(ip: string): Buffer {
  return Buffer.from(ip.split(".").map(Number));
}

function record(name: Buffer, type: number, data: Buffer): Buffer {
  const fixed = Buffer.alloc(10);
  fixed.writeUInt16BE(type, 0);
  fixed.writeUInt16BE(1, 2);
  fixed.writeUInt16BE(data.length, 8);
  return Buffer.concat([name, fixed, data]);
}
