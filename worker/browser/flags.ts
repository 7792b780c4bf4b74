import { withheldFeatures } from "./withheld.ts";

/** Chromium's memory limit for one JavaScript heap; typed arrays are watched from outside. */
const heapMb = 512;

/** Requests of Chromium's own; an https attempt of its own would also change which URL is rendered. */
const ownDialling = [
  "NavigationPredictor",
  "HttpsUpgrades",
  "HttpsFirstBalancedMode",
  "MediaRouter",
  "OptimizationHints",
  "AutofillServerCommunication",
  "DialMediaRouteProvider",
  // It answers to names of its own on UDP 5353, and joins the multicast group for it.
  "WebRtcHideLocalIpsWithMdns",
];

/** What would act, wait or be remembered beyond the page that asked for it. */
const outlivesPages = [
  "Reporting",
  "DocumentReporting",
  "NetworkErrorLogging",
  "CompressionDictionaryTransport",
  "CompressionDictionaryTransportBackend",
  "BackForwardCache",
  "DeviceBoundSessions",
  // Databases of every context, for sites that send on at once and for reports of how pages loaded.
  "DIPS",
  "DeclarativePerformanceObserver",
  // A renderer started ahead in every context that will never be used costs a third of the throughput.
  "SpareRendererForSitePerProcess",
  // Limits of what a page stores go by origin: a frame's own store for each page that it is in would have none.
  "ThirdPartyStoragePartitioning",
  // A thread in every process that tells the makers of the browser of others that hang.
  "EnableHangWatcher",
];

/** Stores of the advertising and login interfaces: nothing shows whether they are empty. */
const storesOfAdvertising = [
  "FetchLaterAPI",
  "FedCm",
  "PrivateStateTokens",
  "StorageBuckets",
  // Frames whose store has a name that no limit can be set for.
  "AnonymousIframe",
  "TopicsAPI",
  "AttributionReporting",
  "AdInterestGroupAPI",
  "Fledge",
  "FencedFrames",
  "BackgroundFetch",
];

/**
 * What lets every process that serves pages shut itself in. The software for WebGL loads code as it runs, and
 * the GPU process therefore stays without a system call filter for as long as it may: pages have no WebGL, and
 * pictures are drawn by the processor as before. Full Chromium can confine its network service too.
 */
export const confining = [
  "--disable-gpu",
  "--disable-software-rasterizer",
  "--enable-features=NetworkServiceSandbox",
];

interface FlagOptions {
  sandbox: boolean;
  withholdNothing?: boolean;
}

/**
 * Chromium with nothing but loopback to go to. The browser's own traffic gets a port on which nothing
 * listens; every context names its own proxy.
 */
export function flags({ sandbox, withholdNothing }: FlagOptions): string[] {
  const withheld = withholdNothing ? [] : withheldFeatures;
  return [
    "--proxy-server=http://127.0.0.1:9",
    // Without it loopback and link-local destinations go direct.
    "--proxy-bypass-list=<-loopback>",
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
    // Full Chromium obeys the first name, headless-shell builds only the second; neither knows the other's.
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--disable-quic",
    ...confining,
    // One process for a page with all its frames, whatever their sites: nobody is logged in anywhere, so there
    // is nothing to keep from one site of a page, and 300 sites would be 300 processes. Contexts share none.
    "--disable-site-isolation-trials",
    // Shells alone know it and need it: full Chromium has a blocker of popups.
    "--block-new-web-contents",
    `--js-flags=--max-old-space-size=${heapMb}`,
    `--disable-features=${[...ownDialling, ...outlivesPages].join()}`,
    `--disable-blink-features=${[...storesOfAdvertising, ...withheld].join()}`,
    "--disable-component-update",
    "--disable-domain-reliability",
    // Already judged (1 is an error): else a language model's service starts after three minutes and stays.
    "--optimization-guide-performance-class=1",
    "--no-pings",
    "--no-default-browser-check",
    ...(sandbox ? [] : ["--no-sandbox"]),
  ];
}
