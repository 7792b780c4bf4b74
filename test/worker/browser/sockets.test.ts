import { expect, test } from "vitest";
import { inNamespace, namespacePossible } from "./namespace.ts";
import type { SocketsLook } from "./sockets.ts";

test.runIf(namespacePossible)(
  "case 48: a page that uses WebRTC in any kind of frame opens no UDP socket and joins no group",
  { timeout: 480_000 },
  async () => {
    const seen = await inNamespace<SocketsLook>(new URL("sockets.ts", import.meta.url), [
      "10.1.2.3",
    ]);
    expect(seen.answer).toContain("<body>");
    expect(seen.groups).toEqual([]);
    expect(seen.offered).toEqual([]);
    expect(seen.udp).toEqual([]);
  },
);
