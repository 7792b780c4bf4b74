import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { expect, test } from "vitest";
import { createResolver, parseEgressAllow } from "../../../runtime/egress/rules.ts";
import { startEgressService } from "../../../worker/egress/service.ts";
import { createSiteFetch } from "../../../worker/transport/site.ts";
import { makeCertificate } from "../browser/certificate.ts";

test("https is checked against its certificate, directly and through the egress service", async () => {
  const certificate = makeCertificate("localhost");
  const server = createServer(certificate, (_request, response) =>
    response.end('{"version":"https://jsonfeed.org/version/1.1","title":"Safe","items":[]}'),
  );
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as AddressInfo;
  const allow = [`127.0.0.1:${port}`];
  const service = await startEgressService(
    { allow: parseEgressAllow(allow), resolve: createResolver() },
    { host: "127.0.0.1", port: 0 },
  );
  const egressVia = `127.0.0.1:${(service.address() as AddressInfo).port}`;
  const trusted = getCACertificates("default");
  const read = (settings: object, host = "localhost") =>
    createSiteFetch({ egressAllow: [], ...settings })({
      url: `https://${host}:${port}/`,
      signal: AbortSignal.timeout(30_000),
      mostBytes: 1000,
      accept: "*/*",
    });
  try {
    for (const settings of [{ egressAllow: allow }, { egressVia }]) {
      await expect(read(settings)).rejects.toThrow("TLS certificate or handshake is invalid");
      setDefaultCACertificates([certificate.cert]);
      expect((await read(settings)).bytes.toString()).toContain("Safe");
      await expect(read(settings, "127.0.0.1")).rejects.toThrow("TLS certificate");
      setDefaultCACertificates(trusted);
    }
    await expect(read({ egressVia }, "127.0.0.2")).rejects.toThrow("not allowed");
    await expect(read({})).rejects.toThrow("not allowed");
  } finally {
    setDefaultCACertificates(trusted);
    server.close();
    service.close();
  }
});
