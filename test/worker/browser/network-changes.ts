import { execFileSync } from "node:child_process";
import { createServer as createHttpsServer } from "node:https";
import { createServer } from "node:net";
import { makeCertificate } from "./certificate.ts";
import { html, startRig, startSite } from "./rig.ts";

// Runs in its own network namespace, whose addresses it changes while pages load. Prints one line
// of JSON.

const [address = ""] = JSON.parse(process.argv[2] ?? "[]") as string[];
const certificate = makeCertificate();
const secure = createHttpsServer(certificate, (request, response) => {
  if (request.url === "/script.js") response.end("document.body.append('written by a script')");
  else html(response, "a page");
});

let changes = 0;
/** While its first `silent` connections wait for a handshake the machine gets a further address. */
function startUnlucky(port: number, silent: number): { dialled(): number } {
  let dialled = 0;
  createServer((socket) => {
    socket.on("error", () => socket.destroy());
    dialled += 1;
    if (dialled > silent) {
      secure.emit("connection", socket);
      return;
    }
    changes += 1;
    execFileSync("ip", ["addr", "add", `10.9.9.${changes}/32`, "dev", "inside"]);
  }).listen(port, address);
  return { dialled: () => dialled };
}

const sites = { page: 8441, script: 8442, always: 8443, plain: 8080 };
const unlucky = {
  page: startUnlucky(sites.page, 1),
  script: startUnlucky(sites.script, 1),
  always: startUnlucky(sites.always, Infinity),
};
const plain = await startSite(
  (_, response) =>
    html(response, `<body><script src="https://${address}:${sites.script}/script.js"></script>`),
  address,
  sites.plain,
);
const rig = await startRig({
  args: [certificate.trust],
  egressAllow: Object.values(sites).map((port) => `${address}:${port}`),
});
const read = (url: string) =>
  rig.run("browser.html", { url, timeout_ms: 20_000 }).then(
    (data) => ("html" in data ? data.html : ""),
    (error: Error & { type: string }) => `${error.type}: ${error.message}`,
  );
const answers = {
  page: await read(`https://${address}:${sites.page}/`),
  script: await read(plain.origin),
  always: await read(`https://${address}:${sites.always}/`),
};
const dialled = Object.fromEntries(
  Object.entries(unlucky).map(([name, site]) => [name, site.dialled()]),
);
await rig.close();
process.stdout.write(`${JSON.stringify({ answers, dialled })}\n`);
process.exit(0);
