/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import type MiniSearchClass from "minisearch";
import type { SearchDocument } from "../search-documents.ts";

/*
 * Functions of the browser: the search over all pages. The library and the texts are fetched when it is first
 * opened. They are sent as their own text, so they use nothing but each other.
 */

interface Find {
  (query: string): SearchDocument[];
}

function docsAddress(): string {
  return `${location.pathname.replace(/\/docs(?:\/.*)?$/, "")}/docs`;
}

/** The search over documents; its constructor is the library's. */
export function searchOver(
  MiniSearch: typeof MiniSearchClass,
  documents: readonly SearchDocument[],
): Find {
  const index = new MiniSearch<SearchDocument>({
    fields: ["title", "of", "text", "words"],
    storeFields: ["id", "title", "of", "text"],
    searchOptions: {
      boost: { title: 4, of: 1.5, words: 0.7 },
      combineWith: "AND",
      prefix: true,
      fuzzy: (term) => (term.length > 4 ? 0.2 : false),
    },
  });
  index.addAll(documents);
  // Words of questions, which every page contains.
  const empty = new Set(
    "a an and are at by can do does for from have how i in into is it its my not of on or so that the this to what when where which who why will with you your".split(
      " ",
    ),
  );
  const telling = (query: string) => {
    const words = query.split(/\s+/).filter((word) => !empty.has(word.toLowerCase()));
    return words.length > 0 ? words.join(" ") : query;
  };
  // There are many operations for each section of a guide.
  const guides = new Set(documents.flatMap(({ id, isGuide }) => (isGuide ? [id] : [])));
  const boostDocument = (id: string) => (guides.has(id) ? 1.6 : 1);
  return (query) => {
    const words = telling(query);
    const strict = index.search(words, { boostDocument });
    // Some words of a question in plain words are nowhere.
    const loose = index.search(words, { boostDocument, combineWith: "OR" });
    const first = new Set(strict.map(({ id }) => id as string));
    const found = [...strict, ...loose.filter(({ id }) => !first.has(id as string))];
    return found.slice(0, 12) as unknown as SearchDocument[];
  };
}

async function loadSearch(): Promise<Find> {
  const docs = docsAddress();
  const [answer, { default: MiniSearch }] = await Promise.all([
    fetch(`${docs}/search.json`),
    import(`${docs}/minisearch.js`) as Promise<{ default: typeof MiniSearchClass }>,
  ]);
  return searchOver(MiniSearch, (await answer.json()) as SearchDocument[]);
}

function optionOf(found: SearchDocument, number: number): HTMLLIElement {
  const option = document.createElement("li");
  option.id = `found-${number}`;
  option.setAttribute("role", "option");
  option.setAttribute("aria-selected", "false");
  option.dataset["href"] = `${docsAddress()}/${found.id}`.replace(/\/(?=#|$)/, "");
  const title = document.createElement("strong");
  title.textContent = found.title;
  const about = document.createElement("span");
  about.textContent = `${found.of} · ${found.text.slice(0, 110)}`;
  option.append(title, about);
  return option;
}

function selectOption(input: HTMLInputElement, list: HTMLElement, at: number): void {
  const options = [...list.children];
  for (const [number, option] of options.entries())
    option.setAttribute("aria-selected", String(number === at));
  const chosen = options[at];
  if (chosen) {
    input.setAttribute("aria-activedescendant", chosen.id);
    chosen.scrollIntoView({ block: "nearest" });
  } else input.removeAttribute("aria-activedescendant");
}

function startSearch(): void {
  const dialog = document.querySelector<HTMLDialogElement>("dialog.search");
  const button = document.querySelector<HTMLButtonElement>("button.find");
  const input = dialog?.querySelector("input");
  const list = dialog?.querySelector<HTMLElement>("[role=listbox]");
  const none = dialog?.querySelector(".none");
  if (!dialog || !button || !input || !list || !none) return;
  let loading: Promise<Find> | undefined;
  let at = 0;
  const show = async (): Promise<void> => {
    const query = input.value.trim();
    const find = await (loading ??= loadSearch());
    if (query !== input.value.trim()) return;
    const found = query === "" ? [] : find(query);
    list.replaceChildren(...found.map((one, number) => optionOf(one, number)));
    none.textContent = query !== "" && found.length === 0 ? "Nothing found" : "";
    at = 0;
    selectOption(input, list, at);
  };
  const showIfPossible = () =>
    void show().catch(() => {
      loading = undefined;
      none.textContent = "The search could not be loaded";
    });
  const open = () => {
    dialog.showModal();
    input.select();
    showIfPossible();
  };
  const go = (option: Element | undefined) => {
    const href = (option as HTMLElement | undefined)?.dataset["href"];
    if (href === undefined) return;
    dialog.close();
    location.assign(href);
  };
  button.hidden = false;
  button.addEventListener("click", open);
  document.addEventListener("keydown", (event) => {
    const typing = (event.target as Element).closest("input, textarea, select");
    const isWanted = event.key === "/" && !typing && !event.ctrlKey && !event.metaKey;
    if (!isWanted && !(event.key === "k" && (event.ctrlKey || event.metaKey))) return;
    event.preventDefault();
    if (!dialog.open) open();
  });
  input.addEventListener("input", showIfPossible);
  input.addEventListener("keydown", (event) => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    const { length } = list.children;
    if (event.key === "Enter") go(list.children[at]);
    if (step === 0 || length === 0) return;
    event.preventDefault();
    at = (at + step + length) % length;
    selectOption(input, list, at);
  });
  list.addEventListener("click", (event) =>
    go((event.target as Element).closest("li") ?? undefined),
  );
  // A click beside the dialog closes it.
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
}

export const searchScript = `(() => {\n${[
  docsAddress,
  searchOver,
  loadSearch,
  optionOf,
  selectOption,
  startSearch,
].join("\n")}\nstartSearch();\n})();\n`;
