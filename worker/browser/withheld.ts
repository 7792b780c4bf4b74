/**
 * Runs in every document of a page before anything of its own. WebRTC finds no way out, but Chromium opens UDP
 * ports for it on every address of the machine, and no setting of Chromium's keeps them closed. Frames of other
 * sites share the page's process (see `flags.ts`), so that none of them goes without this.
 */
export const withholding = `for (const name of ["RTCPeerConnection", "webkitRTCPeerConnection"]) delete globalThis[name];`;
