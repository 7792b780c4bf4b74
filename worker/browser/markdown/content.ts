/// <reference lib="dom" />
import type { DomTools } from "../dom.ts";
import type { BlockOutline } from "./block-outline.ts";
import type { blockWriter } from "./blocks.ts";
import type { Box, ElementKinds } from "./elements.ts";
import type { EmbedReader } from "./embeds.ts";
import type { InlineHtml, Marks, Signs } from "./inline-html.ts";
import type { inlineRun } from "./inline-run.ts";
import type { MathReader } from "./math.ts";
import type { MathmlTex } from "./mathml-tex.ts";
import type { Picture, PictureReader } from "./pictures.ts";
import type { PageProgress } from "../page/unfinished.ts";
import type { RevealRules } from "./reveal.ts";
import type { TableCells } from "../table-cells.ts";
import type { tableGrids } from "./table-grid.ts";

/**
 * Runs in the page: writes the visible body as plain, regular HTML for the Markdown converter. Paragraphs are
 * explicit, emphasis and links never span blocks, tables are rectangular, URLs absolute, hidden parts gone.
 * It takes one pass and does not recurse.
 */
export function visibleContent(
  dom: DomTools,
  input: {
    boxes: { open: string; done: string };
    signs: Signs;
    /** Stands around the number of a frame whose document belongs there. */
    frameSign: string;
    timerEvent: string;
    maxLength: number;
    /** Whether to keep the page's own containers around its blocks. */
    structured: boolean;
  },
  parts: {
    run: ReturnType<typeof inlineRun>;
    inline: InlineHtml;
    grids: ReturnType<typeof tableGrids>;
    places: TableCells;
    kinds: ElementKinds;
    blocks: ReturnType<typeof blockWriter>;
    reveal: RevealRules;
    pictures: PictureReader;
    embeds: EmbedReader;
    /** Given only for a page with formulas: the two are long, and most pages have none. */
    math?: MathReader;
    mathml?: MathmlTex;
    outline: BlockOutline;
    progress: PageProgress;
  },
): {
  url: string;
  title: string;
  html: string | undefined;
  formulas: boolean;
  /** Whether the page waits for a timer of its own. */
  waits: boolean;
  /** Number of its elements and length of its text. */
  size: string;
  /** Numbers of the frames whose documents belong into the HTML. */
  frames: number[];
} {
  interface Frame {
    leave(): void;
    element: Element;
    style: CSSStyleDeclaration;
    /** Whether a text of this element is drawn; undefined until the first. */
    draws: ((text: Node) => boolean) | undefined;
    /** Whether CSS keeps white space; undefined until the first text. */
    preserve: boolean | undefined;
    /** Whether `visibility` hides the text of this element; children may still show theirs. */
    invisible: boolean;
    /** Whether `visibility: hidden` further up is only the beginning of an animation. */
    revealed: boolean;
    /** The box within the line that stood here last. */
    beside: Box | undefined;
    /** Whether children stand beside each other, as in a flex or grid container. */
    spread: boolean;
    next: Node | null;
    rest: Iterator<Node> | undefined;
  }

  const { outline, reveal, pictures, embeds, kinds } = parts;
  const run = parts.run(parts.inline, input.signs);
  const grids = parts.grids(parts.places);
  const blocks = parts.blocks(run, outline, grids, input.boxes, input.structured);
  outline.maxLength = input.maxLength;
  const nothing = () => undefined;
  let links = 0;
  /** Whether the page has a formula. */
  let formulas = false;
  const framesHere: number[] = [];

  /** Writes the name of something that is drawn: it joins no word beside it. */
  function alone(name: string): void {
    if (!name) return;
    run.space();
    run.text(name, false);
    run.space();
  }

  function image(picture: Picture | undefined): void {
    if (!picture || blocks.inCode()) return;
    if (picture.source) run.image(picture.source, picture.alt);
    else if (picture.alt) alone(picture.alt);
  }

  /** Writes an element that is a formula. True for one, and for an element that only repeats one. */
  function formula(element: Element, name: string): boolean {
    if (!kinds.mayBeFormula(element, name)) return false;
    formulas = true;
    const found = parts.math?.of(element, name);
    if (!found || found === "drawn") return found === "drawn";
    const tex = found.tex || (found.math && parts.mathml?.of(found.math));
    if (!tex) return true;
    if (blocks.inCode()) blocks.addCode(tex);
    else if (blocks.inCell()) {
      // Bars would end the cell.
      run.raw(`$${tex.replaceAll("\\|", "\\Vert ").replaceAll("|", "\\vert ")}$`);
    } else if (!found.display || blocks.inHeading()) run.raw(`$${tex}$`);
    else {
      blocks.flush();
      run.raw(`$$${tex}$$`);
      blocks.flush();
    }
    return true;
  }

  /** Leaves a place for the document of a frame. */
  function place(element: Element): void {
    const number = embeds.frameNumber(element);
    if (number === undefined || blocks.inCode() || blocks.inLine()) return;
    blocks.flush();
    framesHere.push(number);
    outline.write(`${input.frameSign}${number}${input.frameSign}`);
  }

  function embed(element: Element): void {
    const found = !blocks.inCode() ? embeds.link(element) : undefined;
    if (!found) return;
    if (!blocks.inLine()) blocks.flush();
    link(found.href, () => run.text(found.text, false));
    if (!blocks.inLine()) blocks.flush();
  }

  function link(href: string, show: () => void): void {
    const before = run.marks;
    links += 1;
    run.marks = { ...before, link: href, linkId: links };
    show();
    run.marks = before;
  }

  function inline(element: Element, name: string): () => void {
    const before = run.marks;
    const restore = () => {
      run.marks = before;
    };
    const mark = (change: Partial<Marks>) => {
      run.marks = { ...before, ...change };
      return restore;
    };
    if (name === "a") {
      const target = dom.linkTarget(element);
      if (target === undefined) return restore;
      links += 1;
      const shown = run.shown;
      mark({ link: target, linkId: links });
      return () => {
        // The link shows only an icon. A link to a place on this page needs no name.
        const own = (dom.attribute(element, "href") ?? "").startsWith("#");
        if (run.shown === shown && !before.linkId && !own && !blocks.inCode()) {
          alone(embeds.label(element));
        }
        restore();
      };
    }
    const change = kinds.marks(name);
    if (change) return mark(change);
    const quoted = name === "q" ? ["“", "”"] : name === "rt" ? ["(", ")"] : undefined;
    if (quoted) {
      run.text(quoted[0] ?? "", true);
      return () => run.text(quoted[1] ?? "", true);
    }
    return restore;
  }

  function leaveBox(leave: () => void, box: Box, parent: Frame): void {
    leave();
    run.spaceIf(() => kinds.endsApart(box));
    parent.beside = box;
  }

  /** Leaves an element that flows with the text. */
  function leaveText(leave: () => void, box: Box, drifts: boolean): void {
    leave();
    run.spaceIf(() => kinds.isParted(box, "::after", drifts));
  }

  /** Writes the text of a form field or the link to a film as words of their own. True for such an element. */
  function field(element: Element, name: string): boolean {
    const isPlayer = name === "video" || name === "audio";
    if (!isPlayer && name !== "input" && name !== "select" && name !== "textarea") return false;
    if (blocks.inCode()) return true;
    run.space();
    const found = isPlayer ? embeds.media(element) : undefined;
    if (found) link(found.href, () => run.text(found.text, false));
    else run.text(embeds.fieldText(element).slice(0, 20_000), name === "textarea");
    run.space();
    return true;
  }

  /** Opens an element of a drawing: its texts are separate words. A large picture without text shows its title. */
  function drawn(element: Element, name: string): () => void {
    if (blocks.inCode()) return nothing;
    if (name === "a") return inline(element, name);
    if (name === "text") {
      run.space();
      return () => run.space();
    }
    const shown = run.shown;
    return () => {
      if (name !== "svg" || run.shown > shown || run.marks.linkId) return;
      run.text(` ${embeds.drawingTitle(element)} `, false);
    };
  }

  /** Opens an element as a block or as running text; returns the function that closes it. */
  function openElement(
    element: Element,
    name: string,
    { flows, isInline }: { flows: boolean; isInline: boolean },
  ): () => void {
    if (element instanceof SVGElement && name !== "foreignObject") return drawn(element, name);
    const isCode = name === "code" && !flows && !blocks.inLine();
    if (name === "pre" || (isCode && kinds.keepsLines(getComputedStyle(element)))) {
      return blocks.preformatted(element);
    }
    if (blocks.inCode() && flows) return nothing;
    if (isInline || (flows && (name === "div" || name.includes("-")))) {
      return blocks.inCode() ? nothing : inline(element, name);
    }
    if (blocks.inCode()) return blocks.block(element, name);
    if (name === "ul" || name === "ol" || name === "menu") {
      return blocks.list(name === "ol" ? "ol" : "ul", element);
    }
    if (name === "li") return blocks.item(element);
    if (name === "blockquote") return blocks.quote();
    if (name === "table" && element instanceof HTMLTableElement) return blocks.startTable(element);
    if (name === "tr") return blocks.row(element);
    if ((name === "td" || name === "th") && element instanceof HTMLTableCellElement) {
      return blocks.cell(element);
    }
    if (!kinds.inline.has(name)) return blocks.block(element, name);
    blocks.flush();
    const restore = inline(element, name);
    return () => {
      blocks.flush();
      restore();
    };
  }

  /** Opens an element; undefined when nothing of it is shown. */
  function enter(element: Element, parent: Frame | undefined): Frame | undefined {
    const name = dom.localName(element);
    if (name === "img") {
      const style = getComputedStyle(element);
      const seen = style.visibility === "visible" || parent?.revealed;
      if (
        seen &&
        element instanceof HTMLImageElement &&
        !reveal.hidden(element, style, style.display)
      ) {
        image(pictures.of(element));
      }
      return undefined;
    }
    if (name === "noscript") {
      image(pictures.alone(element));
      return undefined;
    }
    if (formula(element, name)) return undefined;
    if (name === "br") {
      if (blocks.inCode()) blocks.addCode("\n");
      else run.lineBreak();
      return undefined;
    }
    if (name === "hr") {
      blocks.rule();
      return undefined;
    }
    if (kinds.dropped.has(name) || dom.isPageChrome(element, name, blocks.inHeading()))
      return undefined;
    const style = getComputedStyle(element);
    // Every read of a style costs as much as the rest of the work on an element.
    const { display } = style;
    if (reveal.hidden(element, style, display)) return undefined;
    if (name === "frame" || name === "iframe") {
      const isWritten = name === "frame" || dom.attribute(element, "srcdoc") !== null;
      if (isWritten || embeds.holdsForeign(element)) place(element);
      else embed(element);
      return undefined;
    }
    if (style.visibility === "visible" && field(element, name)) return undefined;
    if (blocks.inCode() && dom.besidesCode(element, name)) return undefined;

    const flows = display.startsWith("inline") || display === "contents";
    const isInline =
      kinds.inline.has(name) && (flows || parent?.spread === true || display.startsWith("ruby"));
    if (parent?.spread) run.space();
    const boxed = flows && display.startsWith("inline-");
    const mayPart = flows && !boxed && !/^(?:code|kbd|samp|su[bp])$/.test(name);
    const drifts = mayPart && name !== "a";
    const box = { element, style };
    if (boxed && parent) {
      const { beside } = parent;
      run.spaceIf(() => kinds.beginsApart(box, beside));
    } else if (mayPart) run.spaceIf(() => kinds.isParted(box, "::before", drifts));
    const leave = openElement(element, name, { flows, isInline });
    const { first, list: rest } = dom.children(element);
    const unseen = style.visibility !== "visible";
    const revealed = unseen && (parent?.revealed === true || reveal.becomesVisible(element, style));
    return {
      leave:
        boxed && parent
          ? () => leaveBox(leave, box, parent)
          : mayPart
            ? () => leaveText(leave, box, drifts)
            : leave,
      ...box,
      draws: undefined,
      preserve: undefined,
      invisible: unseen && !revealed,
      revealed,
      beside: undefined,
      spread: /flex|grid/.test(display),
      next: first,
      rest: rest?.values(),
    };
  }

  reveal.uncover();
  // A drawing by itself has no body.
  const body = dom.body(document) ?? dom.root(document);
  const frames: Frame[] = [];
  const start = body && enter(body, undefined);
  if (start) frames.push(start);
  for (let frame = frames.at(-1); frame; frame = frames.at(-1)) {
    if (formulas && !parts.math) break;
    let node: Node | null;
    if (frame.rest) node = frame.rest.next().value ?? null;
    else {
      node = frame.next;
      frame.next = node && dom.nextSibling(node);
    }
    if (!node) {
      frame.leave();
      if (frames.at(-2)?.spread) run.space();
      frames.pop();
      continue;
    }
    const type = dom.nodeType(node);
    if (type === Node.TEXT_NODE) {
      if (frame.invisible || !(frame.draws ??= reveal.drawn(frames))(node)) continue;
      const value = dom.nodeValue(node) ?? "";
      if (frame.beside && value.trim()) frame.beside = undefined;
      if (blocks.inCode()) blocks.addCode(value);
      else {
        frame.preserve ??= kinds.keepsLines(frame.style);
        run.text(value, frame.preserve);
      }
    } else if (type === Node.ELEMENT_NODE) {
      const child = enter(node as Element, frame);
      if (child) {
        frame.beside = undefined;
        frames.push(child);
      }
    }
  }
  blocks.flush();
  const title = dom.querySelector(document, "head > title");
  return {
    url: location.href,
    title: ((title && dom.textContent(title)) ?? "").slice(0, 1000),
    html: outline.length > input.maxLength ? undefined : outline.html(),
    formulas,
    ...parts.progress.glance(input.timerEvent),
    frames: framesHere,
  };
}
