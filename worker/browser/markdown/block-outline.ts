export type BlockOutline = ReturnType<typeof blockOutline>;
export type List = ReturnType<BlockOutline["startList"]>;

/**
 * Runs in the page: writes blocks into quotes and list items. These begin only with their first content, so that
 * empty ones leave no trace.
 */
export function blockOutline() {
  interface Container {
    open(): string;
    close(): string;
  }

  const out: string[] = [];
  const containers: Container[] = [];
  /** How many of them have been begun. */
  let begun = 0;

  function put(html: string): void {
    outline.length += html.length;
    if (outline.length <= outline.maxLength) out.push(html);
  }

  function end(): void {
    const ended = containers.pop();
    if (!ended || begun <= containers.length) return;
    begun = containers.length;
    put(ended.close());
  }

  /** The tag that opens a list. It names the first number where Markdown can begin with it. */
  const startTag = (tag: string, attributes: string, number: number) =>
    tag === "ul" || number === 1 || number < 0 || number > 999_999_999
      ? `<${tag}${attributes}>`
      : `<${tag}${attributes} start="${number}">`;

  const outline = {
    maxLength: 0,
    /** Characters so far, including those beyond the limit. */
    length: 0,
    html: () => out.join(""),

    write(html: string): void {
      while (begun < containers.length) {
        begun += 1;
        put(containers[begun - 1]?.open() ?? "");
      }
      put(html);
    },

    /** Whether the innermost item, quote or container has not begun. */
    nothingYet: () => begun < containers.length,

    /** `attributes` begin with a space. */
    startPart(tag: string, attributes: string): void {
      containers.push({ open: () => `<${tag}${attributes}>`, close: () => `</${tag}>` });
    },
    endPart: end,

    startQuote(): void {
      containers.push({ open: () => "<blockquote>", close: () => "</blockquote>" });
    },
    endQuote: end,

    /** A list that is not `shown` is nested too deep for Markdown. */
    startList(tag: "ul" | "ol", attributes: string, shown: boolean, first: number, step: number) {
      const list = {
        tag,
        shown,
        itemOpen: false,
        /** Whether the open item has a paragraph already. */
        itemStarted: false,
        /** Whether any of it has been written. */
        begun: false,

        startItem(value: number | undefined): void {
          list.endItem();
          list.itemOpen = true;
          list.itemStarted = false;
          if (value !== undefined) number = value;
          const own = number;
          number += step;
          if (!shown) return;
          containers.push({
            open() {
              const parted = list.begun && tag === "ol" && own !== expected;
              const start = list.begun && !parted ? "" : startTag(tag, attributes, own);
              list.begun = true;
              expected = own + 1;
              return `${parted ? "</ol>" : ""}${start}<li>`;
            },
            close: () => "</li>",
          });
        },

        endItem(): void {
          if (list.itemOpen && shown) end();
          list.itemOpen = false;
        },

        end(): void {
          list.endItem();
          if (shown) end();
        },
      };
      let number = first;
      /** The number that Markdown gives the next item. */
      let expected = first;
      if (shown) {
        containers.push({ open: () => "", close: () => (list.begun ? `</${tag}>` : "") });
      }
      return list;
    },
  };
  return outline;
}
