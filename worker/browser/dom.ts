/// <reference lib="dom" />
/// <reference lib="dom.iterable" />

export type DomTools = ReturnType<typeof domTools>;

/** The tools that readers of statements and texts use; a document without a browser has them too. */
export type ReadingTools = Pick<
  DomTools,
  | "document"
  | "isElement"
  | "firstChild"
  | "nextSibling"
  | "parentNode"
  | "nodeType"
  | "nodeValue"
  | "textContent"
  | "localName"
  | "attribute"
  | "querySelector"
  | "elementById"
  | "querySelectorIn"
  | "root"
  | "outerHtml"
  | "childElements"
  | "linkTarget"
  | "webUrl"
> & { matching(document: Document, selector: string): ArrayLike<Element> & Iterable<Element> };

/**
 * Runs in the page: reads the DOM through the prototypes' own getters. A form control or an image named `body` or
 * `firstChild` shadows the property of that name, in isolated worlds too.
 */
export function domTools() {
  function getter<Owner, Value>(owner: { prototype: Owner }, name: string): (self: Owner) => Value {
    // oxlint-disable-next-line typescript/unbound-method
    const read = Object.getOwnPropertyDescriptor(owner.prototype, name)?.get as () => Value;
    return (self) => Reflect.apply(read, self, []);
  }
  function method<Owner, Args extends unknown[], Value>(
    owner: { prototype: Owner },
    name: keyof Owner,
  ): (self: Owner, ...args: Args) => Value {
    const run = owner.prototype[name] as () => Value;
    return (self, ...args) => Reflect.apply(run, self, args);
  }

  const firstChild = getter<Node, Node | null>(Node, "firstChild");
  const nextSibling = getter<Node, Node | null>(Node, "nextSibling");
  const parentNode = getter<Node, Node | null>(Node, "parentNode");
  const baseUri = getter<Node, string>(Node, "baseURI");
  const shadowRoot = getter<Element, ShadowRoot | null>(Element, "shadowRoot");
  const assignedNodes = method<HTMLSlotElement, [], Node[]>(HTMLSlotElement, "assignedNodes");
  const rects = method<Element, [], DOMRectList>(Element, "getClientRects");
  const box = method<Element, [], DOMRect>(Element, "getBoundingClientRect");
  const checkVisibility = method<Element, [CheckVisibilityOptions], boolean>(
    Element,
    "checkVisibility",
  );
  const anchorHref = getter<HTMLAnchorElement, string>(HTMLAnchorElement, "href");
  const areaHref = getter<HTMLAreaElement, string>(HTMLAreaElement, "href");
  const firstElement = getter<Element, Element | null>(Element, "firstElementChild");
  const tagged = method<Document, [string], HTMLCollectionOf<Element>>(
    Document,
    "getElementsByTagName",
  );
  const nextElement = getter<Element, Element | null>(Element, "nextElementSibling");
  const imageSrc = getter<HTMLImageElement, string>(HTMLImageElement, "src");
  const inlineStyle = getter<HTMLElement, CSSStyleDeclaration>(HTMLElement, "style");
  const setProperty = method<CSSStyleDeclaration, [string, string, string], void>(
    CSSStyleDeclaration,
    "setProperty",
  );
  const comparePosition = method<Node, [Node], number>(Node, "compareDocumentPosition");
  const base = baseUri(document);

  const dom = {
    document,
    isElement: (node: Node): node is Element => node instanceof Element,
    firstChild,
    nextSibling,
    parentNode,
    nodeType: getter<Node, number>(Node, "nodeType"),
    nodeValue: getter<Node, string | null>(Node, "nodeValue"),
    textContent: getter<Node, string | null>(Node, "textContent"),
    localName: getter<Element, string>(Element, "localName"),
    attribute: method<Element, [string], string | null>(Element, "getAttribute"),
    attributeNames: method<Element, [], string[]>(Element, "getAttributeNames"),
    querySelector: method<Document, [string], Element | null>(Document, "querySelector"),
    elementById: method<Document, [string], Element | null>(Document, "getElementById"),
    matching: method<Document, [string], NodeListOf<Element>>(
      Document,
      "querySelectorAll" as never,
    ),
    querySelectorIn: method<Element, [string], Element | null>(Element, "querySelector"),
    root: getter<Document, Element | null>(Document, "documentElement"),
    characterSet: getter<Document, string>(Document, "characterSet"),
    body: getter<Document, HTMLElement | null>(Document, "body"),
    doctype: getter<Document, DocumentType | null>(Document, "doctype"),
    outerHtml: getter<Element, string>(Element, "outerHTML"),
    allElements: (document: Document) => tagged(document, "*"),
    canvases: (document: Document) => tagged(document, "canvas") as Iterable<HTMLCanvasElement>,
    iframeWindow: getter<HTMLIFrameElement, Window | null>(HTMLIFrameElement, "contentWindow"),
    frameWindow: getter<HTMLFrameElement, Window | null>(HTMLFrameElement, "contentWindow"),
    inputType: getter<HTMLInputElement, string>(HTMLInputElement, "type"),
    inputValue: getter<HTMLInputElement, string>(HTMLInputElement, "value"),
    areaValue: getter<HTMLTextAreaElement, string>(HTMLTextAreaElement, "value"),
    chosen: getter<HTMLSelectElement, HTMLCollectionOf<HTMLOptionElement>>(
      HTMLSelectElement,
      "selectedOptions",
    ),
    canvasWidth: getter<HTMLCanvasElement, number>(HTMLCanvasElement, "width"),
    canvasHeight: getter<HTMLCanvasElement, number>(HTMLCanvasElement, "height"),
    images: getter<Document, HTMLCollectionOf<HTMLImageElement>>(Document, "images"),
    decode: method<HTMLImageElement, [], Promise<void>>(HTMLImageElement, "decode"),
    animations: method<Document, [], Animation[]>(Document, "getAnimations"),
    childElement: firstElement,
    nextElement,
    previousElement: getter<Element, Element | null>(Element, "previousElementSibling"),
    naturalWidth: getter<HTMLImageElement, number>(HTMLImageElement, "naturalWidth"),
    currentSrc: getter<HTMLImageElement, string>(HTMLImageElement, "currentSrc"),
    clientWidth: getter<Element, number>(Element, "clientWidth"),
    clientHeight: getter<Element, number>(Element, "clientHeight"),
    scrollWidth: getter<Element, number>(Element, "scrollWidth"),
    scrollHeight: getter<Element, number>(Element, "scrollHeight"),
    scrollIntoView: method<Element, [ScrollIntoViewOptions], void>(Element, "scrollIntoView"),
    box,

    /** Children as rendered: those of an open shadow root instead of its host's, assigned nodes instead of a slot's. */
    children(element: Element): { first: Node | null; list: Node[] | undefined } {
      const shadow = shadowRoot(element);
      if (shadow) return { first: firstChild(shadow), list: undefined };
      if (element instanceof HTMLSlotElement) {
        const assigned = assignedNodes(element);
        if (assigned.length > 0) return { first: null, list: assigned };
      }
      return { first: firstChild(element), list: undefined };
    },

    childElements(element: Element): Element[] {
      const elements: Element[] = [];
      for (let node = firstChild(element); node; node = nextSibling(node)) {
        if (node instanceof Element) elements.push(node);
      }
      return elements;
    },

    /** Whether an element is part of the layout. */
    rendered: (element: Element) => checkVisibility(element, {}),

    /** Whether CSS does not hide an element either. */
    shown: (element: Element) =>
      checkVisibility(element, { opacityProperty: true, visibilityProperty: true }),

    /** The first `most` child elements. */
    firstElements(element: Element, most: number): Element[] {
      const elements: Element[] = [];
      let child = firstElement(element);
      for (; child && elements.length < most; child = nextElement(child)) elements.push(child);
      return elements;
    },

    /** Whether one of two elements contains the other. */
    isRelated: (element: Element, other: Element) =>
      (comparePosition(element, other) &
        (Node.DOCUMENT_POSITION_CONTAINS | Node.DOCUMENT_POSITION_CONTAINED_BY)) !==
      0,

    /** Sets a style over the page's own. */
    setStyle(element: HTMLElement, name: string, value: string): void {
      setProperty(inlineStyle(element), name, value, "important");
    },

    /**
     * Calls `enter` for every element under `top` in rendered order until it returns true. The walk is linear and
     * safe at any depth.
     */
    walk(top: Element, enter: (element: Element) => boolean | void): void {
      const pending: (Node | Iterator<Node>)[] = [top];
      while (pending.length > 0) {
        const last = pending.pop() as Node | Iterator<Node>;
        let node: Node;
        if (last instanceof Node) {
          node = last;
          const next = node === top ? null : nextSibling(node);
          if (next) pending.push(next);
        } else {
          const step = last.next();
          if (step.done) continue;
          pending.push(last);
          node = step.value;
        }
        if (!(node instanceof Element)) continue;
        if (enter(node) === true) return;
        const { first, list } = dom.children(node);
        if (list) pending.push(list.values());
        else if (first) pending.push(first);
      }
    },

    /** The absolute http or https URL that a link leads to; undefined for other schemes. */
    linkTarget(element: Element): string | undefined {
      // The element resolves the URL: a URL object for each of 200,000 links would cost a gigabyte.
      const href =
        element instanceof HTMLAnchorElement
          ? anchorHref(element)
          : element instanceof HTMLAreaElement
            ? areaHref(element)
            : undefined;
      if (href !== undefined) return /^https?:/.test(href) && URL.canParse(href) ? href : undefined;
      return dom.webUrl(dom.attribute(element, "href") ?? dom.attribute(element, "xlink:href"));
    },

    /** The absolute URL of an image's `src`; the element resolves it, as for links. */
    imageSource(image: HTMLImageElement): string | undefined {
      const source = imageSrc(image);
      if (/^https?:/.test(source)) return URL.canParse(source) ? source : undefined;
      return source ? undefined : dom.webUrl(dom.attribute(image, "src"));
    },

    /** The absolute http or https URL of a text; undefined for other schemes. */
    webUrl(value: string | null): string | undefined {
      if (value === null) return undefined;
      const url = URL.parse(value.trim(), base);
      return url?.protocol === "http:" || url?.protocol === "https:" ? url.href : undefined;
    },

    /** Whether `clip` or `clip-path` cuts an element away entirely, as is usual for visually hidden text. */
    clippedAway(style: CSSStyleDeclaration): boolean {
      const positioned = style.position === "absolute" || style.position === "fixed";
      const clip = positioned ? /^rect\(([^)]*)\)$/.exec(style.clip) : null;
      if (clip) {
        const [top = 0, right = 0, bottom = 0, left = 0] = (clip[1] ?? "")
          .split(/[,\s]+/)
          .map((edge) => (edge === "auto" ? NaN : parseFloat(edge)));
        if (bottom - top <= 1 || right - left <= 1) return true;
      }
      const path = style.clipPath;
      if (path === "none") return false;
      const inset = /^inset\(([\d.% px]+)\)$/.exec(path)?.[1]?.split(" ");
      if (inset) {
        const sides = inset.map((side) => (side.endsWith("%") ? parseFloat(side) : 0));
        const [top = 0, right = top, bottom = top, left = right] = sides;
        // An animation uncovers along one axis.
        return top + bottom >= 99 && left + right >= 99;
      }
      return /^circle\(0(px|%)?[\s)]|^polygon\((?:0(?:px|%)?[ ,)]+)+$/.test(path);
    },

    /** The author's name for the language of preformatted code, or empty. */
    codeLanguage(element: Element): string {
      const inner = dom.querySelectorIn(element, "code");
      const parent = parentNode(element);
      const around = [inner, element, parent, parent && parentNode(parent)];
      for (const node of around) {
        if (!(node instanceof Element)) continue;
        const classes = dom.attribute(node, "class") ?? "";
        const language: string | undefined =
          dom.attribute(node, "data-lang") ??
          dom.attribute(node, "data-language") ??
          /(?:^|\s)(?:language-|lang-|highlight-source-|brush:\s?|sourceCode\s)([^\s;]+)/.exec(
            classes,
          )?.[1] ??
          /(?:^|\s)hljs\s+(?!language)(\S+)/.exec(classes)?.[1];
        if (language && /^[\w+#.-]{1,30}$/.test(language)) return language.toLowerCase();
      }
      return "";
    },

    /** Whether an element is a button that copies code, or the anchor link of a heading. */
    isPageChrome(element: Element, name: string, inHeading: boolean): boolean {
      if (name === "button") {
        return /copy|clipboard/i.test(dom.attribute(element, "class") ?? "");
      }
      if (name !== "a" || !inHeading) return false;
      return /^[#¶§🔗\s]*$/u.test(dom.textContent(element) ?? "") && !firstElement(element);
    },

    /** Whether an element inside preformatted code is a line number or a copy button. */
    besidesCode(element: Element, name: string): boolean {
      const classes = dom.attribute(element, "class") ?? "";
      return (
        name === "button" ||
        /(^|[\s_-])(line-?nos?|linenos?|line-?numbers?(-rows)?|gutter)([\s_-]|$)/i.test(classes)
      );
    },

    /** Whether the viewport shows a part of an element with a box that CSS does not hide. */
    inView(element: Element): boolean {
      const shown = checkVisibility(element, {
        opacityProperty: true,
        visibilityProperty: true,
        contentVisibilityAuto: true,
      });
      if (!shown) return false;
      // An inline link around a floated image has an empty box of its own.
      const boxes = [...rects(element)];
      for (let child = firstChild(element); child; child = nextSibling(child)) {
        if (child instanceof Element) boxes.push(...rects(child));
      }
      return boxes.some((rect) => dom.partInView(element, rect));
    },

    partInView(element: Element, rect: DOMRect): boolean {
      let { left, top, right, bottom } = rect;
      const cut = (l: number, t: number, r: number, b: number) => {
        left = Math.max(left, l);
        top = Math.max(top, t);
        right = Math.min(right, r);
        bottom = Math.min(bottom, b);
        return right > left && bottom > top;
      };
      if (!cut(0, 0, innerWidth, innerHeight)) return false;
      let fixed = false;
      for (let node: Node | null = element; node;) {
        if (node instanceof Element) {
          const style = getComputedStyle(node);
          if (dom.clippedAway(style)) return false;
          if (node !== element && !fixed && style.overflow !== "visible") {
            const frame = box(node);
            const inner = cut(frame.left, frame.top, frame.right, frame.bottom);
            const viewport = node === dom.root(document) || node === dom.body(document);
            if (!inner && !viewport) return false;
          }
          if (style.position === "fixed") fixed = true;
        }
        node = node instanceof ShadowRoot ? node.host : parentNode(node);
      }
      return true;
    },
  };
  return dom;
}
