/// <reference lib="dom" />
/// <reference lib="dom.iterable" />

/*
 * Functions of the browser: code with the reader's address and key, tabs of languages, copying and running.
 * They are sent as their own text, so they use nothing but each other.
 */

/** The address of this gateway, also below a path of a proxy. */
function baseAddress(): string {
  return location.origin + location.pathname.replace(/\/docs(?:\/.*)?$/, "").replace(/\/$/, "");
}

/** Storage may be switched off; then a key is kept until the page is left. */
function keptIn(storage: () => Storage, name: string, value?: string): string {
  try {
    if (value === "") storage().removeItem(name);
    else if (value !== undefined) storage().setItem(name, value);
    return storage().getItem(name) ?? "";
  } catch {
    return value ?? "";
  }
}

const gatewayKey = (value?: string): string => keptIn(() => sessionStorage, "gateway-key", value);

/** Code with the address of this gateway, and with a key in place of the variables where there is one. */
function filled(text: string, key: string): string {
  const base = baseAddress();
  const withBase = text.replaceAll(document.body.dataset["base"] ?? base, base);
  if (key === "") return withBase;
  return withBase
    .replace(/svc_(?:test|live)_…/g, key)
    .replace(/process\.env(?:\.GATEWAY_KEY|\["GATEWAY_KEY"\])!?/g, `"${key}"`)
    .replace(/process\.env(?:\.GATEWAY_URL|\["GATEWAY_URL"\])!?/g, `"${base}"`)
    .replaceAll('os.environ["GATEWAY_KEY"]', `"${key}"`)
    .replaceAll('os.environ["GATEWAY_URL"]', `"${base}"`)
    .replaceAll("$GATEWAY_KEY", key)
    .replaceAll("$GATEWAY_URL", base);
}

/** A key as the page shows it. */
const masked = (key: string): string => (key === "" ? "" : `${key.slice(0, 9)}…${key.slice(-4)}`);

/** Shows every code with the current address and key. */
function fillPage(): void {
  const shown = masked(gatewayKey());
  for (const code of document.querySelectorAll<HTMLElement>("main code")) {
    const source = (code.dataset["source"] ??= code.textContent ?? "");
    const text = filled(source, code.parentElement?.nodeName === "PRE" ? shown : "");
    if (code.textContent !== text) code.textContent = text;
  }
  const name = document.querySelector("details.key summary");
  if (name) name.textContent = shown === "" ? "Your key" : `Key ${shown}`;
}

/** The clipboard needs a secure page, which a gateway by http in a network is not. */
async function copyText(text: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const area = document.createElement("textarea");
  area.value = text;
  document.body.append(area);
  area.select();
  document.execCommand("copy");
  area.remove();
}

function addCopyButton(figure: HTMLElement): void {
  const code = figure.querySelector<HTMLElement>("code");
  if (!code) return;
  const button = document.createElement("button");
  button.type = "button";
  button.className = "copy";
  button.textContent = "Copy";
  button.addEventListener("click", () => {
    const text = filled(code.dataset["source"] ?? code.textContent ?? "", gatewayKey());
    const show = (result: string) => {
      button.textContent = result;
      setTimeout(() => (button.textContent = "Copy"), 1500);
    };
    copyText(text).then(
      () => show("Copied"),
      () => show("Not copied"),
    );
  });
  figure.append(button);
}

function chooseLanguage(language: string): void {
  for (const group of document.querySelectorAll(".tabs")) {
    const figures = [...group.querySelectorAll<HTMLElement>("figure")];
    if (!figures.some((figure) => figure.dataset["language"] === language)) continue;
    for (const figure of figures) figure.hidden = figure.dataset["language"] !== language;
    for (const tab of group.querySelectorAll<HTMLElement>("[role=tab]")) {
      const isChosen = tab.dataset["language"] === language;
      tab.setAttribute("aria-selected", String(isChosen));
      tab.tabIndex = isChosen ? 0 : -1;
    }
  }
}

function addTabs(group: Element, number: number): void {
  const list = document.createElement("div");
  list.setAttribute("role", "tablist");
  list.setAttribute("aria-label", "Language");
  const choose = (tab: HTMLElement) => {
    const language = tab.dataset["language"] ?? "";
    keptIn(() => localStorage, "gateway-language", language);
    chooseLanguage(language);
  };
  for (const figure of group.querySelectorAll<HTMLElement>("figure")) {
    const caption = figure.querySelector("figcaption");
    const tab = document.createElement("button");
    tab.type = "button";
    tab.id = `tab-${number}-${figure.dataset["language"]}`;
    tab.setAttribute("role", "tab");
    tab.dataset["language"] = figure.dataset["language"] ?? "";
    tab.textContent = caption?.textContent ?? "";
    caption?.remove();
    figure.id = `code-${number}-${figure.dataset["language"]}`;
    figure.setAttribute("role", "tabpanel");
    figure.setAttribute("aria-labelledby", tab.id);
    tab.setAttribute("aria-controls", figure.id);
    tab.addEventListener("click", () => choose(tab));
    list.append(tab);
  }
  list.addEventListener("keydown", (event) => {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    const tabs = [...list.querySelectorAll<HTMLElement>("[role=tab]")];
    const at = tabs.indexOf(event.target as HTMLElement);
    const next = tabs[(at + step + tabs.length) % tabs.length];
    if (step === 0 || !next) return;
    event.preventDefault();
    choose(next);
    next.focus();
  });
  group.prepend(list);
}

/** Sends the example of an operation's page with the reader's key, and shows the answer. */
function addRunButton(section: HTMLElement): void {
  const { method, path, body } = JSON.parse(section.dataset["request"] ?? "{}") as {
    method: string;
    path: string;
    body?: object;
  };
  const button = document.createElement("button");
  button.type = "button";
  button.className = "run";
  button.textContent = "Run with your key";
  const status = document.createElement("p");
  status.setAttribute("role", "status");
  const output = document.createElement("pre");
  output.tabIndex = 0;
  output.setAttribute("aria-label", "Answer");
  output.hidden = true;
  const send = async (key: string): Promise<void> => {
    status.textContent = "Waiting for the answer …";
    const startedAt = performance.now();
    const answer = await fetch(baseAddress() + path, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body ? { "content-type": "application/json" } : {}),
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const text = await answer.text();
    const parsed = JSON.parse(text) as { billing?: { credits_charged: number } };
    const charged = parsed.billing?.credits_charged ?? 0;
    const ms = Math.round(performance.now() - startedAt);
    status.textContent = `Status ${answer.status} after ${ms} ms, ${charged} credits charged`;
    output.textContent = JSON.stringify(parsed, null, 2).slice(0, 20_000);
    output.hidden = false;
  };
  button.addEventListener("click", () => {
    const key = gatewayKey();
    if (key === "") {
      const form = document.querySelector<HTMLDetailsElement>("details.key");
      if (form) form.open = true;
      document.querySelector<HTMLInputElement>("#key")?.focus();
      status.textContent = "Enter your key above first; a test key costs nothing.";
      return;
    }
    button.disabled = true;
    send(key)
      .catch(() => (status.textContent = "No answer: is the gateway running?"))
      .finally(() => (button.disabled = false));
  });
  const place = section.querySelector(".tabs");
  place?.after(button, status, output);
}

function addKeyForm(): void {
  const details = document.querySelector<HTMLDetailsElement>("details.key");
  const input = document.querySelector<HTMLInputElement>("#key");
  if (!details || !input) return;
  details.hidden = false;
  details.addEventListener("submit", (event) => {
    event.preventDefault();
    gatewayKey(input.value.trim());
    input.value = "";
    details.open = false;
    fillPage();
  });
  details.querySelector(".forget")?.addEventListener("click", () => {
    gatewayKey("");
    details.open = false;
    fillPage();
  });
}

/** On a narrow screen the list of pages opens by a button. */
function addMenu(): void {
  const button = document.querySelector<HTMLButtonElement>("button.menu");
  if (!button) return;
  button.hidden = false;
  document.body.classList.add("scripted");
  button.addEventListener("click", () => {
    const isOpen = document.body.classList.toggle("pages-open");
    button.setAttribute("aria-expanded", String(isOpen));
  });
}

function startCode(): void {
  for (const [number, group] of document.querySelectorAll(".tabs").entries())
    addTabs(group, number);
  for (const figure of document.querySelectorAll<HTMLElement>("main figure.code"))
    addCopyButton(figure);
  for (const section of document.querySelectorAll<HTMLElement>("[data-request]"))
    addRunButton(section);
  const kept = keptIn(() => localStorage, "gateway-language");
  chooseLanguage("sh");
  if (kept !== "") chooseLanguage(kept);
  addKeyForm();
  addMenu();
  fillPage();
}

const arrows = { gatewayKey, masked };

/** The script of the pages, without the search. */
export const codeScript = `(() => {\n${Object.entries(arrows)
  .map(([name, body]) => `const ${name} = ${String(body)};`)
  .join("\n")}\n${[
  baseAddress,
  keptIn,
  filled,
  fillPage,
  copyText,
  addCopyButton,
  chooseLanguage,
  addTabs,
  addRunButton,
  addKeyForm,
  addMenu,
  startCode,
].join("\n")}\nstartCode();\n})();\n`;
