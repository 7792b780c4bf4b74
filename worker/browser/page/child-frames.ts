import type { Protocol } from "puppeteer";
import type { Tab } from "../chromium/tab.ts";
import { DocumentGone } from "./isolated-world.ts";

/** Most frames within one frame whose documents are read, and the most levels of them. */
export const readFrames = { most: 20, depth: 3 };

export interface ChildFrame {
  frameId: string;
  /** Whether the frame holds a document of the page's own: one of its site, or one written in its attribute. */
  isOwn: boolean;
}

/** The frames within a frame, in the order of `window.frames`. */
export async function childFrames(tab: Tab, frameId: string): Promise<ChildFrame[]> {
  const { frameTree } = await tab.cdp.send("Page.getFrameTree");
  const pending: Protocol.Page.FrameTree[] = [frameTree];
  for (let tree = pending.pop(); tree; tree = pending.pop()) {
    if (tree.frame.id !== frameId) {
      pending.push(...(tree.childFrames ?? []));
      continue;
    }
    const { securityOrigin } = tree.frame;
    return (tree.childFrames ?? []).slice(0, readFrames.most).map(({ frame }) => ({
      frameId: frame.id,
      isOwn: frame.url === "about:srcdoc" || frame.securityOrigin === securityOrigin,
    }));
  }
  return [];
}

/** The result of reading a frame; undefined where the frame has gone, which leaves the rest of the page. */
export async function ifThere<T>(read: Promise<T>): Promise<T | undefined> {
  try {
    return await read;
  } catch (error) {
    if (error instanceof DocumentGone) return undefined;
    throw error;
  }
}
