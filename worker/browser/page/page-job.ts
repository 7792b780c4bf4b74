import type { BrowserPool } from "../chromium/pool.ts";
import type { RenderedPage, Tab } from "../chromium/tab.ts";
import { loadTextOnly } from "../chromium/text-only.ts";
import type { MainDocument } from "./main-document.ts";
import { awaitSelector, preparePage } from "./page-options.ts";
import type { PageOptions } from "./page-options.ts";
import { render } from "./render.ts";
import type { RenderRequest } from "./render.ts";

/** The caller's input that every operation on a page has. */
export interface PageInput {
  url: string;
  wait_until: RenderRequest["waitUntil"];
  wait_for_selector?: string | undefined;
  timeout_ms: number;
  accept_language?: string | undefined;
}

/** The part of a call that rendering needs. */
export interface PageCall {
  account: string;
  deadline: number;
  signal: AbortSignal;
  timeline?: { stage(name: string): void } | undefined;
}

export interface PagePreparation {
  prepare: (tab: Tab) => Promise<void>;
  /** True when a picture is taken: the page then loads what text-only rendering leaves out. */
  isPicture: boolean;
}

/** Renders the page of a call and reads it once it has reached its stage and shows the caller's selector. */
export async function renderPage<T extends { url: string }>(
  pool: BrowserPool,
  input: PageInput,
  call: PageCall,
  read: (page: RenderedPage, document: MainDocument) => Promise<T>,
  preparation?: PagePreparation,
): Promise<{ data: T }> {
  const request: RenderRequest = {
    url: input.url,
    account: call.account,
    waitUntil: input.wait_until,
    timeoutMs: input.timeout_ms,
    deadline: call.deadline,
    signal: call.signal,
    stage: (name) => call.timeline?.stage(name),
  };
  const options: PageOptions = {
    waitForSelector: input.wait_for_selector,
    acceptLanguage: input.accept_language,
  };
  const data = await render(
    pool,
    request,
    async (rendered, document) => {
      await awaitSelector(rendered, options);
      return read(rendered, document);
    },
    async (tab) => {
      if (pool.textOnly && !preparation?.isPicture) loadTextOnly(tab);
      await Promise.all([preparePage(tab, options), preparation?.prepare(tab)]);
    },
  );
  call.timeline?.stage("check");
  return { data };
}
