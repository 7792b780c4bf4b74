import { withheldFeatures } from "./withheld.ts";

/** Memory limit of one JavaScript heap; the memory watch bounds typed arrays. */
const heapMb = 512;

/** Features that send requests of Chromium's own. An https attempt of its own would also change the rendered URL. */
const ownDialling = [
  "NavigationPredictor",
  "HttpsUpgrades",
  "HttpsFirstBalancedMode",
  "MediaRouter",
  "OptimizationHints",
  "AutofillServerCommunication",
  "DialMediaRouteProvider",
  // mDNS answers to names of its own on UDP 5353 and joins the multicast group for it.
  "WebRtcHideLocalIpsWithMdns",
];

/** Features that would act, wait or remember beyond the page that asked for them. */
const outlivesPages = [
  "Reporting",
  "DocumentReporting",
  "NetworkErrorLogging",
  "CompressionDictionaryTransport",
  "CompressionDictionaryTransportBackend",
  "BackForwardCache",
  "DeviceBoundSessions",
  // These keep databases in every context, for sites that redirect at once and for reports of load times.
  "DIPS",
  "DeclarativePerformanceObserver",
  // An unused renderer, started ahead in every context, costs a third of the throughput.
  "SpareRendererForSitePerProcess",
  // Storage limits go by origin: a store for each pair of frame and page would have no limit.
  "ThirdPartyStoragePartitioning",
  // It starts a thread in every process that reports hangs to the makers of the browser.
  "EnableHangWatcher",
];

/** Advertising and login interfaces with stores: nothing shows whether these are empty. */
const storesOfAdvertising = [
  "FetchLaterAPI",
  "FedCm",
  "PrivateStateTokens",
  "StorageBuckets",
  // The stores of such frames have names for which no limit can be set.
  "AnonymousIframe",
  "TopicsAPI",
  "AttributionReporting",
  "AdInterestGroupAPI",
  "Fledge",
  "FencedFrames",
  "BackgroundFetch",
];

/**
 * Lets every process that serves pages confine itself. The software for WebGL loads code as it runs, so a GPU
 * process that may use it has no system call filter. Pages have no WebGL, and the processor draws pictures. Full
 * Chromium can confine its network service too.
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
    // Without this flag loopback and link-local destinations bypass the proxy.
    "--proxy-bypass-list=<-loopback>",
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
    // Full Chromium obeys only the first name, headless shells only the second.
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--disable-quic",
    ...confining,
    // A page has one process for all its frames, and contexts share none. Nobody is logged in anywhere, so there is
    // nothing to keep from another site of the page, and 300 sites would be 300 processes.
    "--disable-site-isolation-trials",
    // Only shells know and need this flag: full Chromium has a popup blocker.
    "--block-new-web-contents",
    `--js-flags=--max-old-space-size=${heapMb}`,
    `--disable-features=${[...ownDialling, ...outlivesPages].join()}`,
    `--disable-blink-features=${[...storesOfAdvertising, ...withheld].join()}`,
    "--disable-component-update",
    "--disable-domain-reliability",
    // 1 stands for a failed judgement. Without one a language model's service starts after three minutes and stays.
    "--optimization-guide-performance-class=1",
    "--no-pings",
    "--no-default-browser-check",
    ...(sandbox ? [] : ["--no-sandbox"]),
  ];
}
