/**
 * WebRTC finds no way out, but Chromium opens UDP ports for it on every address of the machine, and no setting of
 * Chromium's keeps them closed. This script runs in every document before the page's own scripts. Frames of other
 * sites share the page's process (see `flags.ts`), so the script runs in them too.
 */
export const withholding = `for (const name of ["RTCPeerConnection", "webkitRTCPeerConnection"]) delete globalThis[name];`;

/**
 * Interfaces that Chromium itself leaves out of every document and worker. The browser's main thread sets up each
 * SharedWorker, and a page that starts them in a loop keeps that thread from all other pages.
 */
export const withheldFeatures: readonly string[] = ["SharedWorker"];
