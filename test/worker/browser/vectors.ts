/** Path that the page's WebSocket requests; the decoy sees it as a plain upgrade request. */
export const webSocketDecoyPath = "websocket";

/**
 * Each way out that Chromium takes by itself while a page loads; the name is the requested path.
 */
export const vectors = [
  "link-header",
  "csp-report",
  "iframe",
  "srcdoc-img",
  "img",
  "css",
  "css-import",
  "font",
  "script",
  "media",
  "object",
  "form",
  "fetch",
  "preflight",
  "xhr",
  "beacon",
  "event-source",
  "worker-fetch",
  "shared-worker-fetch",
  "preload",
  "modulepreload",
];

/**
 * A page that tries all of them, and some that Chromium may or may not perform; `stun` servers take
 * UDP.
 */
export function vectorPage(decoy: string, socket: string, stun = ["127.0.0.2:3478"]): string {
  return `<!doctype html><title>vectors</title>
<link rel=stylesheet href="${decoy}/css">
<style>@import url("${decoy}/css-import");@font-face{font-family:d;src:url("${decoy}/font")}p{font-family:d}</style>
<link rel=preload as=fetch crossorigin href="${decoy}/preload"><link rel=modulepreload href="${decoy}/modulepreload">
<link rel=prefetch href="${decoy}/prefetch"><link rel=preconnect href="${decoy}"><link rel=dns-prefetch href="//prefetch.decoy.test">
<link rel=icon href="${decoy}/icon"><link rel=manifest href="${decoy}/manifest">
<script type=speculationrules>{"prefetch":[{"source":"list","urls":["${decoy}/speculation"],"eagerness":"immediate"}]}</script>
<p>text in a font</p>
<iframe src="${decoy}/iframe"></iframe><iframe srcdoc="<img src='${decoy}/srcdoc-img'>"></iframe>
<img src="${decoy}/img"><script src="${decoy}/script"></script>
<video preload=auto src="${decoy}/media"></video><object data="${decoy}/object"></object>
<iframe name=target></iframe><form id=f method=post target=target action="${decoy}/form"></form>
<a id=a ping="${decoy}/ping" href="#here">ping</a>
<script>
f.submit(); a.click();
const quiet = (run) => { try { const p = run(); if (p && p.catch) p.catch(() => {}); } catch {} };
quiet(() => fetch("${decoy}/fetch", { mode: "no-cors" }));
quiet(() => fetch("${decoy}/preflight", { method: "PUT", headers: { "x-a": "1" } }));
quiet(() => { const x = new XMLHttpRequest(); x.open("GET", "${decoy}/xhr"); x.send(); });
quiet(() => navigator.sendBeacon("${decoy}/beacon", "b"));
quiet(() => new EventSource("${decoy}/event-source"));
quiet(() => new WebSocket("${socket}/${webSocketDecoyPath}"));
const script = (text) => URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
quiet(() => new Worker(script('fetch("${decoy}/worker-fetch",{mode:"no-cors"})')));
quiet(() => new SharedWorker(script('fetch("${decoy}/shared-worker-fetch",{mode:"no-cors"})')));
quiet(() => open("${decoy}/popup"));
quiet(() => { const r = new RTCPeerConnection({ iceServers: ${JSON.stringify(stun.map((host) => ({ urls: `stun:${host}` })))} });
  r.createDataChannel("d"); r.createOffer().then((o) => r.setLocalDescription(o)); });
quiet(() => new WebTransport("${decoy.replace("http:", "https:")}/transport"));
</script>`;
}
