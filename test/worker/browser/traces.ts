/** One kind of trace that a page can leave for a later page of the same origin. */
export interface Trace {
  name: string;
  /**
   * Body of an async function in the planting page. It sees `v` (id of this trial), `other` (a
   * second origin), `quiet` (runs and swallows errors), `load` (fetches the resource of a kind) and
   * `within`.
   */
  plant: string;
  /** Report of the reading page or the server without isolation between the two. */
  shows: string;
  /** Headers of the planting page. */
  headers?: Record<string, string | string[]>;
  /** Both pages are reached through the second origin. */
  beside?: true;
  /** Granted from outside, where a page alone lacks the permission. */
  bounced?: true;
  /** Chromium clears it by default, but not with the gateway's flags. */
  granted?: true;
  /** Chromium as it comes forgets it by itself, with the gateway's flags it does not. */
  byOurFlags?: true;
  /** It leaves traces of other kinds as well. */
  alone?: true;
}

/** Ways of fetching; each has its own slow file that may be cached for hours. */
export const resources = ["image", "script", "module", "css", "font", "fetch", "xhr"] as const;

const cached = resources.map((kind): Trace => ({
  name: `${kind} in the cache`,
  plant: `await load.${kind}()`,
  shows: `cache:${kind}`,
}));

/** Every cookie has a name of its own, which shows whose it is. */
const cookie = (kind: string, name: string, attributes: string): Trace => ({
  name: `${kind} cookie`,
  plant: "",
  headers: { "set-cookie": `${name}=1${attributes}` },
  shows: `header:cookie ${name}`,
});

export const traces: readonly Trace[] = [
  {
    name: "script cookie",
    plant: "document.cookie='script=1;max-age=999'",
    shows: "document.cookie script",
  },
  {
    name: "cookieStore",
    plant: "await cookieStore.set('store','1')",
    shows: "document.cookie store",
  },
  cookie("HttpOnly", "only", "; HttpOnly; Max-Age=999"),
  cookie("session", "session", ""),
  cookie("__Host-", "__Host-t", "; Secure; Path=/; HttpOnly"),
  cookie("partitioned", "__Host-p", "; Secure; Path=/; Partitioned; SameSite=None"),
  cookie("domain", "domain", "; Domain=app.localhost; Max-Age=999"),
  {
    name: "cookie of a subdomain",
    plant:
      "await fetch(sub+'/cookie?domain=app.localhost&v='+v,{credentials:'include',mode:'no-cors'})",
    shows: "header:cookie sub",
  },
  {
    name: "cookie on the way through another origin",
    plant: "",
    bounced: true,
    shows: "bounce:cookie",
  },
  { name: "localStorage", plant: "localStorage.t=1", shows: "localStorage" },
  { name: "sessionStorage", plant: "sessionStorage.t=1", shows: "sessionStorage" },
  {
    name: "IndexedDB",
    plant: "await new Promise(done=>indexedDB.open('t').onsuccess=done)",
    shows: "indexedDB",
  },
  {
    name: "Cache API",
    plant: "await (await caches.open('t')).put('/x',new Response('x'))",
    shows: "caches",
  },
  {
    name: "OPFS",
    plant: "await (await navigator.storage.getDirectory()).getFileHandle('t',{create:true})",
    shows: "opfs",
  },
  {
    name: "storage bucket",
    plant: "await navigator.storageBuckets.open('t')",
    shows: "buckets",
  },
  {
    name: "service worker",
    plant: "await navigator.serviceWorker.register('/worker.js')",
    shows: "serviceWorker",
  },
  { name: "permission", plant: "", granted: true, shows: "permission" },
  {
    name: "clipboard",
    plant: "await navigator.clipboard.writeText('trace')",
    granted: true,
    shows: "clipboard",
  },
  { name: "window.name", plant: "window.name='t'", shows: "window.name" },
  {
    name: "history",
    plant: "for(const i of [1,2,3])history.pushState({t:i},'','#'+i)",
    shows: "history",
  },
  {
    name: "entries of the navigation API",
    plant: "navigation.navigate('#t',{state:'t'})",
    shows: "navigation.entries",
  },
  {
    name: "origin-keyed agent cluster",
    plant: "",
    headers: { "origin-agent-cluster": "?0" },
    byOurFlags: true,
    shows: "originAgentCluster",
  },
  {
    name: "BroadcastChannel",
    plant: "const c=new BroadcastChannel('t');setInterval(()=>c.postMessage('t'),10)",
    beside: true,
    shows: "BroadcastChannel",
  },
  {
    name: "SharedWorker",
    plant:
      "const w=new SharedWorker('/shared.js','t');await new Promise(done=>w.port.onmessage=done)",
    beside: true,
    shows: "SharedWorker",
  },
  {
    name: "Web Locks",
    plant:
      "await new Promise(done=>void navigator.locks.request('t',()=>{done();return new Promise(()=>{})}))",
    beside: true,
    shows: "locks",
  },
  {
    name: "blob URL told by the server",
    plant:
      "await fetch('/note?v='+v+'&url='+encodeURIComponent(URL.createObjectURL(new Blob(['t']))))",
    beside: true,
    shows: "blob",
  },
  {
    name: "HTTP authentication",
    plant:
      "await new Promise(done=>{const x=new XMLHttpRequest();x.open('GET','/auth/in?v='+v,true,'user','secret');x.onloadend=done;x.send()})",
    shows: "header:authorization",
  },
  {
    name: "client hints",
    plant: "",
    headers: { "accept-ch": "Sec-CH-UA-Full-Version-List, Sec-CH-Device-Memory, Sec-CH-UA-Arch" },
    shows: "header:client hint",
  },
  { name: "ETag", plant: "await fetch('/etag?v='+v)", shows: "header:if-none-match" },
  {
    name: "Last-Modified",
    plant: "await fetch('/modified?v='+v)",
    shows: "header:if-modified-since",
  },
  {
    name: "CORS preflight",
    plant: "await fetch(other+'/preflight?v='+v,{headers:{'x-t':'1'}})",
    shows: "preflight",
  },
  ...cached,
  {
    name: "document in the cache",
    plant: "await (await fetch('/read?v='+v)).text()",
    shows: "cache:document",
  },
  {
    name: "prefetch",
    plant:
      "await new Promise(done=>document.head.append(Object.assign(document.createElement('link'),{rel:'prefetch',href:'/read?v='+v,onload:done})))",
    shows: "cache:document",
  },
  ...["prefetch", "prerender"].map((kind): Trace => ({
    name: `${kind} by speculation rules`,
    plant: `document.head.append(Object.assign(document.createElement('script'),{type:'speculationrules',text:JSON.stringify({${kind}:[{urls:['/read?v='+v],eagerness:'immediate'}]})})); await within(1200)`,
    shows: "cache:document",
  })),
  {
    name: "storage of a frame of another origin",
    plant: "await framed('plant')",
    shows: "frame:localStorage",
  },
  {
    name: "partitioned cookie of a frame of another origin",
    plant: "await framed('plant')",
    shows: "frame:cookie",
  },
  {
    name: "written without pause",
    alone: true,
    plant:
      "setInterval(()=>{document.cookie='t='+Math.random();localStorage.t=1;sessionStorage.t=1;indexedDB.open('t')},1);await within(50)",
    shows: "document.cookie t",
  },
  {
    name: "written while the page goes away",
    alone: true,
    plant:
      "for(const e of ['pagehide','visibilitychange','unload','beforeunload','freeze'])for(const o of [window,document])o.addEventListener(e,()=>{document.cookie='t=1;max-age=999';localStorage.t=1;sessionStorage.t=1;indexedDB.open('t');window.name='t'})",
    shows: "localStorage",
  },
  {
    name: "written by a chain of callbacks that outruns the page",
    alone: true,
    plant:
      "(async()=>{for(;;){localStorage.t=1;await cookieStore.set('t','1');await caches.open('t')}})();await within(50)",
    shows: "caches",
  },
];

const mostInGroup = 8;
const kindOf = ({ beside, bounced, granted, byOurFlags }: Trace) =>
  JSON.stringify({ beside, bounced, granted, byOurFlags });
/** Entries of the history show as entries of the navigation API; a reading page in the cache is as good as a reader. */
const isAlone = ({ alone, shows }: Trace) =>
  alone || shows === "history" || shows === "cache:document";

/** Traces that one page can plant and one page can tell apart. */
export const traceGroups: readonly (readonly Trace[])[] = traces.reduce<Trace[][]>(
  (groups, trace) => {
    const group = groups.find(
      ([first, ...others]) =>
        first !== undefined &&
        !isAlone(trace) &&
        !isAlone(first) &&
        kindOf(first) === kindOf(trace) &&
        others.length < mostInGroup - 1,
    );
    if (group) group.push(trace);
    else groups.push([trace]);
    return groups;
  },
  [],
);
