import type { seo } from "../../../contract/areas/seo/index.ts";
import type { SerpSummary } from "../../../contract/areas/seo/serp.ts";
import type { DataOf, InputOf } from "../../../contract/operation.ts";
import type { Connector } from "../../connector.ts";
import { localityTask } from "../../mapping/locality.ts";
import { type Task, ask, itemsOf } from "../../upstreams/dataforseo/client.ts";
import { type Wire, at, count, each, object, rows, text } from "#wire";
import { sentKeyword } from "./keyword.map.ts";
import { localityOf } from "./labs.ts";
import { resultPageTask, withRectangle } from "../../upstreams/dataforseo/result-page.ts";
import {
  pageFields,
  serpElement,
  untilBillable,
} from "../../upstreams/dataforseo/serp-elements.map.ts";
import {
  type Evidence,
  type Target,
  evidenceOf,
  isTarget,
  targetOf,
  visibility,
} from "../../upstreams/dataforseo/serp-visibility.map.ts";

type Operation = Extract<(typeof seo)["operations"][number], { id: "seo.serp.search" }>;
type Input = InputOf<Operation>;
type Element = DataOf<Operation>["results"][number];

/** A mapped element beside its source. */
interface Found {
  is_billable: boolean;
  element: Element;
  wire: Wire;
  evidence: Evidence;
}

const systemOf = ({ device, os }: Input) => os ?? (device === "mobile" ? "android" : "windows");
const matchOf = ({ target, target_match }: Input) =>
  target?.includes("*") ? "wildcard" : target_match;

const depthOf = ({ depth, page, limit }: Input) => depth ?? page * limit;

function taskOf(input: Input, target: Target | undefined): Task {
  const stop = input.stop_at_target ? target : undefined;
  return {
    keyword: sentKeyword(input.query),
    ...localityTask(input),
    device: input.device,
    os: systemOf(input),
    depth: depthOf(input),
    ...resultPageTask(input),
    load_async_ai_overview: input.include_ai_overview || undefined,
    people_also_ask_click_depth: input.people_also_ask_depth,
    ...(stop
      ? {
          stop_crawl_on_match: [{ match_value: stop.pattern, match_type: matchOf(input) }],
          target_search_mode: input.target_search_mode,
          find_targets_in: input.target_element_types,
        }
      : {}),
  };
}

function readAll(items: readonly unknown[], input: Input, target: Target | undefined): Found[] {
  let position = 0;
  return rows(items, "items", (wire) => {
    position += 1;
    const options = { view: input.view, position };
    const isBillable = ({ type }: Wire) => type === "organic";
    const element = withRectangle(serpElement(wire, { ...options, isBillable }), wire);
    const evidence = evidenceOf(wire, element.rank);
    const marked = target && { is_target: counts(evidence, input) && isTarget(evidence, target) };
    return { is_billable: element.is_billable, element: { ...element, ...marked }, wire, evidence };
  });
}

/** True where elements of this type are searched for the target. */
const counts = ({ type }: Evidence, { target_element_types: types }: Input) =>
  types?.includes(type) ?? true;

/** Elements after the first `skipped` organic ones. */
function after(found: readonly Found[], skipped: number): readonly Found[] {
  if (skipped === 0) return found;
  const passed = untilBillable(found, skipped).rows;
  return found.slice(passed.length);
}

function questionsOf(found: readonly Found[]) {
  return found
    .filter(({ wire }) => wire.type === "people_also_ask")
    .flatMap(({ wire, element }) =>
      each(wire.items, (entry) => {
        const question = text(object(entry)?.title);
        const source = text(at(entry, "expanded_element", 0, "url"));
        return question === undefined ? undefined : { question, rank: element.rank, source };
      }),
    );
}

function summaryOf(elements: readonly Element[], seen: DataOf<Operation>["target"]): SerpSummary {
  const types = Map.groupBy(elements, ({ type }) => type);
  const organic = types.get("organic")?.filter(({ is_paid }) => !is_paid).length ?? 0;
  const paid = elements.filter(({ is_paid }) => is_paid).length;
  return {
    organic_results: organic,
    billable_results: elements.filter(({ is_billable }) => is_billable).length,
    rich_results: elements.length - organic - paid,
    paid_results: paid,
    feature_counts: Object.fromEntries([...types].map(([type, of]) => [type, of.length])),
    target_present: seen?.present,
    target_best_rank: seen?.best_rank,
  };
}

export default {
  "seo.serp.search": async (input, call) => {
    const target = input.target === undefined ? undefined : targetOf(input.target, matchOf(input));
    const task = taskOf(input, target);
    const result = await ask(call, "/v3/serp/google/organic/live/advanced", task, input);
    const all = readAll(itemsOf(result), input, target);
    const page = untilBillable(after(all, (input.page - 1) * input.limit), input.limit).rows;
    const { rows: shown, isCut } = untilBillable(page, call.maxRecords);
    const results = shown.map(({ element }) => element);
    const { competitors } = visibility(
      all.map(({ evidence }) => evidence),
      target,
    );
    const counted = all.map(({ evidence }) => evidence).filter((one) => counts(one, input));
    const { target: seen } = visibility(counted, target);
    const about = pageFields(
      result,
      all.map(({ element }) => element.type),
    );
    return {
      data: {
        query: input.query,
        ...localityOf(input),
        device: input.device,
        os: systemOf(input),
        view: input.view,
        ...about,
        corrected_query: text(at(result, "spell", "keyword")),
        serp_features: about.item_types,
        pages_count: count(result?.pages_count),
        page: input.page,
        rank_window: {
          page: input.page,
          depth: depthOf(input),
          start_rank: results[0]?.rank,
          end_rank: results.at(-1)?.rank,
        },
        summary: summaryOf(results, seen),
        questions: questionsOf(shown),
        target: seen,
        competitors,
        result_count: results.length,
        results,
      },
      truncated: call.shortOfCredits && isCut,
    };
  },
} satisfies Partial<Connector<typeof seo>>;
