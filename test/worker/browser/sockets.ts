import { readFileSync } from "node:fs";
import { settled, startRig, startSite, html } from "./rig.ts";

// Runs in a network namespace of its own with an interface beside loopback. Prints which sockets and groups of
// it a page that uses WebRTC in every kind of frame had open, behind the SSRF filter.

export interface SocketsLook {
  /** Local addresses and ports of UDP sockets, as the kernel writes them. */
  udp: string[];
  /** Multicast groups joined beyond those of every interface. */
  groups: string[];
  /** Kinds of frame in which a connection was offered. */
  offered: string[];
  answer: string;
}

const kinds = [
  "main",
  "empty",
  "srcdoc",
  "blob",
  "data",
  "sandboxed",
  "elsewhere",
  "written",
  "object",
  "popup",
  "prerendered",
];

/** Offers a connection in its own frame, by either name, and reports the offer to the server. */
const offer = (origin: string, kind: string) =>
  `for (const name of ["RTCPeerConnection", "webkitRTCPeerConnection"]) try { const r = new self[name](); self["kept" + name] = r; r.createDataChannel("d"); r.createOffer().then((o) => r.setLocalDescription(o)).then(() => fetch("${origin}/offered/${kind}", { mode: "no-cors" })); } catch {}`;

function page(origin: string, elsewhere: string): string {
  const framed = (kind: string) => `<script>${offer(origin, kind)}</script>`;
  const text = (kind: string) => JSON.stringify(framed(kind)).replaceAll("</", "<\\/");
  return `<body>${framed("main")}<iframe src="${elsewhere}/elsewhere"></iframe><iframe sandbox=allow-scripts src="/sandboxed"></iframe><object type=text/html data="/object"></object><script>
const add = (set) => { const f = document.createElement("iframe"); set(f); document.body.append(f); return f; };
const source = (kind) => (${JSON.stringify(offer(origin, "KIND"))}).replaceAll("KIND", kind);
add(() => {}).contentWindow.eval(source("empty"));
add((f) => { f.srcdoc = ${text("srcdoc")}; });
add((f) => { f.src = URL.createObjectURL(new Blob([${text("blob")}], { type: "text/html" })); });
add((f) => { f.src = "data:text/html," + encodeURIComponent(${text("data")}); });
const written = add(() => {}).contentDocument; written.open(); written.write(${text("written")}); written.close();
open("/popup");
</script><script type=speculationrules>{"prerender":[{"source":"list","urls":["/prerendered"],"eagerness":"immediate"}]}</script><img src=/held>`;
}

const lines = (file: string) =>
  readFileSync(`/proc/net/${file}`, "utf8").trim().split("\n").slice(1);
const udpSockets = () =>
  ["udp", "udp6"].flatMap((file) => lines(file).map((line) => line.trim().split(/\s+/)[1] ?? ""));
/** Every interface belongs to the group of all hosts. */
const joined = () =>
  lines("igmp")
    .filter((line) => /^\s/.test(line))
    .map((line) => line.trim().split(/\s+/)[0] ?? "")
    .filter((group) => group !== "010000E0");

async function inspect(): Promise<SocketsLook> {
  let offerSeen = () => {};
  const held = new Promise<void>((resolve) => (offerSeen = resolve));
  let release = () => {};
  const offered: string[] = [];
  const respond =
    (origin: () => string): Parameters<typeof startSite>[0] =>
    (request, response) => {
      const path = request.url ?? "";
      const kind = path.slice(1);
      if (path.startsWith("/offered/")) {
        offered.push(path.slice("/offered/".length));
        response.end();
      } else if (path === "/held") {
        release = () => response.end();
        offerSeen();
      } else if (path === "/") html(response, page(origin(), elsewhere.origin));
      else html(response, kinds.includes(kind) ? `<script>${offer(origin(), kind)}</script>` : "");
    };
  const site = await startSite(respond(() => site.origin));
  const elsewhere = await startSite(
    respond(() => site.origin),
    "127.0.0.2",
  );
  const rig = await startRig({ egressAllow: ["127.0.0.0/8"], egressPorts: [] });
  const answered = rig.run("browser.html", { url: site.origin, timeout_ms: 20_000 }).then(
    (data) => data.html,
    (error: { type: string }) => error.type,
  );
  await Promise.race([held, answered]);
  // Sockets are opened with the offer; the page is held meanwhile.
  const end = Date.now() + 3000;
  const seen = { udp: new Set<string>(), groups: new Set<string>() };
  while (Date.now() < end) {
    for (const socket of udpSockets()) seen.udp.add(socket);
    for (const group of joined()) seen.groups.add(group);
    await new Promise((done) => setTimeout(done, 50));
  }
  release();
  const answer = (await answered).slice(0, 200);
  await settled(rig);
  await rig.close();
  await Promise.all([site.close(), elsewhere.close()]);
  return { udp: [...seen.udp], groups: [...seen.groups], offered: [...new Set(offered)], answer };
}

const filtered = await inspect();
process.stdout.write(`${JSON.stringify(filtered)}\n`);
process.exit(0);
