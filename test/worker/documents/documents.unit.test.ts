import { constants, deflateRawSync } from "node:zlib";
import { zipSync } from "fflate";
import { describe, expect, test } from "vitest";
import { Documents } from "../../../worker/documents/documents.ts";
import { instantOf } from "../../../worker/documents/pdf.ts";
import { at, officePackage, pdf, relations, zip } from "./files.ts";

const documents = new Documents();
const tried = (bytes: Uint8Array, range: object = {}) =>
  documents.read({ bytes, first: 1, most: 1000, ...range }, "a", AbortSignal.timeout(60_000));
const read = async (bytes: Uint8Array, range: object = {}) => {
  const found = await tried(bytes, range);
  if (!found) throw new Error("no document");
  return found;
};
const markdownOf = async (bytes: Uint8Array) =>
  (await read(bytes)).parts.map(({ markdown }) => markdown);
const body = (y: number, text: string) => at(72, y, 10, text);
const filler = Array.from({ length: 20 }, (_, index) =>
  body(400 - 12 * index, "Leaves of spring are picked by hand early in the day."),
).join("");

describe("a PDF", () => {
  test("has headings, paragraphs, lists and tables, page by page", async () => {
    const page = [
      at(72, 740, 24, "First harvest"),
      body(700, "The leaves were picked"),
      body(688, "on 1 July by *hand*."),
      at(72, 660, 14, "Yield"),
      ...[
        ["Field", "kg", "Day"],
        ["North", "12.5", "Monday"],
        ["South", "9", "Tuesday"],
      ].flatMap((row, index) =>
        row.map((text, column) =>
          body(640 - 14 * index, text).replace("72", `${72 + 120 * column}`),
        ),
      ),
      filler,
    ].join("");
    const info = "/Title (Report) /Author (Mai Sato) /CreationDate (D:20260701100000+02'00')";
    const found = await read(pdf([page, at(72, 700, 10, "Second page")], { info }));
    expect(found).toMatchObject({
      format: "pdf",
      unit: "page",
      count: 2,
      title: "Report",
      authors: ["Mai Sato"],
      createdAt: "2026-07-01T10:00:00+02:00",
      isCut: false,
    });
    const [first, second] = found.parts;
    expect(first?.markdown.split("\n\n").slice(0, 4)).toEqual([
      "# First harvest",
      "The leaves were picked\non 1 July by \\*hand\\*.",
      "## Yield",
      "| Field | kg | Day |\n| --- | --- | --- |\n| North | 12.5 | Monday |\n| South | 9 | Tuesday |",
    ]);
    expect(first?.text.split("\n\n")[3]).toBe(
      "Field\tkg\tDay\nNorth\t12.5\tMonday\nSouth\t9\tTuesday",
    );
    expect(second).toEqual({ number: 2, text: "Second page", markdown: "Second page" });
  });

  test("in columns is read column by column, however the file draws them", async () => {
    const left = [
      "The left column begins the text and",
      "goes on for some lines of its own,",
      "all of which come before the other",
      "column has its turn.",
    ];
    const right = [
      "The right column follows the left,",
      "as readers of a paper would expect",
      "it to do, and does not stand beside",
      "the words of its neighbour.",
    ];
    const drawn = left.map(
      (text, index) =>
        body(700 - 12 * index, text) +
        body(700 - 12 * index, right[index] as string).replace("72", "330"),
    );
    const expected = `${left.join("\n")}\n\n${right.join("\n")}`;
    expect(await markdownOf(pdf([drawn.join("")]))).toEqual([expected]);
  });

  test("has text from right to left in its order of reading", async () => {
    const page = at(300, 700, 12, "BA", "H") + at(270, 700, 12, "C", "H");
    expect(await markdownOf(pdf([page]))).toEqual(["אב ג"]);
  });

  test("without text has empty pages, and a range reads its pages only", async () => {
    const found = await read(pdf(["0 0 100 100 re f", "0 0 1 1 re f", ""]), { first: 2, most: 1 });
    expect(found).toMatchObject({ count: 3, isCut: true });
    expect(found.parts).toEqual([{ number: 2, text: "", markdown: "" }]);
  });

  test("of 500 pages is read whole", async () => {
    const pages = Array.from({ length: 500 }, (_, index) => body(700, `Page ${index + 1}`));
    const { parts, isCut } = await read(pdf(pages));
    expect([parts.length, parts.at(-1)?.text, isCut]).toEqual([500, "Page 500", false]);
  });

  test("has a date only where it states a zone", () => {
    expect(instantOf("D:20260701100000Z")).toBe("2026-07-01T10:00:00Z");
    expect(instantOf("D:20260701100000-05'30")).toBe("2026-07-01T10:00:00-05:30");
    for (const date of ["D:20260701100000", "D:20261301100000Z", "1 July 2026", undefined]) {
      expect(instantOf(date)).toBeUndefined();
    }
  });
});

describe("office documents", () => {
  test("docx", async () => {
    const p = (inner: string, properties = "") => `<w:p><w:pPr>${properties}</w:pPr>${inner}</w:p>`;
    const r = (text: string) => `<w:r><w:t xml:space="preserve">${text}</w:t></w:r>`;
    const item = (level: number, list: number) =>
      `<w:numPr><w:ilvl w:val="${level}"/><w:numId w:val="${list}"/></w:numPr>`;
    const level = (kind: string) =>
      `<w:lvl w:ilvl="0"><w:numFmt w:val="${kind}"/></w:lvl><w:lvl w:ilvl="1"><w:numFmt w:val="${kind}"/></w:lvl>`;
    const cell = (text: string, span = "") => `<w:tc><w:tcPr>${span}</w:tcPr>${p(r(text))}</w:tc>`;
    const bytes = officePackage("word/document.xml", {
      "word/document.xml": `<w:document xmlns:w="w" xmlns:r="r" xmlns:mc="mc"><w:body>
        ${p(r("Harvest"), '<w:pStyle w:val="Own"/>')}
        ${p(`${r("Leaves &amp; ")}<w:del><w:r><w:delText>old</w:delText></w:r></w:del><w:ins>${r("new")}</w:ins><w:hyperlink r:id="r9">${r(" here")}</w:hyperlink><w:r><w:footnoteReference w:id="2"/></w:r>`)}
        ${p(r("one"), item(0, 1))}${p(r("two"), item(1, 1))}${p(r("three"), item(0, 2))}
        <w:tbl><w:tr>${cell("a|b")}<w:sdt><w:sdtContent>${cell("c")}</w:sdtContent></w:sdt></w:tr><w:tr>${cell("wide", '<w:gridSpan w:val="2"/>')}</w:tr></w:tbl>
        <w:p><mc:AlternateContent><mc:Choice><w:drawing><w:txbxContent>${p(r("boxed"))}</w:txbxContent></w:drawing></mc:Choice><mc:Fallback><w:txbxContent>${p(r("boxed"))}</w:txbxContent></mc:Fallback></mc:AlternateContent></w:p>
        </w:body></w:document>`,
      "word/_rels/document.xml.rels": relations(
        ["r1", "styles", "styles.xml"],
        ["r2", "numbering", "numbering.xml"],
        ["r3", "footnotes", "footnotes.xml"],
        ["r9", "hyperlink", "https://site.test/a"],
      ),
      "word/styles.xml": `<w:styles xmlns:w="w"><w:style w:styleId="H2"><w:name w:val="heading 2"/></w:style><w:style w:styleId="Own"><w:name w:val="Own"/><w:basedOn w:val="H2"/></w:style></w:styles>`,
      "word/numbering.xml": `<w:numbering xmlns:w="w"><w:abstractNum w:abstractNumId="5">${level("bullet")}</w:abstractNum><w:abstractNum w:abstractNumId="6">${level("decimal")}</w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="5"/></w:num><w:num w:numId="2"><w:abstractNumId w:val="6"/></w:num></w:numbering>`,
      "word/footnotes.xml": `<w:footnotes xmlns:w="w"><w:footnote w:type="separator" w:id="0">${p(r("no"))}</w:footnote><w:footnote w:id="2">${p(r("By hand"))}</w:footnote></w:footnotes>`,
    });
    const found = await read(bytes);
    expect(found).toMatchObject({ format: "docx", unit: "document", count: 1 });
    expect(found.parts[0]?.markdown.split("\n\n")).toEqual([
      "## Harvest",
      "Leaves & new[ here](<https://site.test/a>)\\[2\\]",
      "- one\n  - two\n1. three",
      "| a\\|b | c |\n| --- | --- |\n| wide |  |",
      "boxed",
      "\\[2\\] By hand",
    ]);
  });

  test("xlsx", async () => {
    const c = (place: string, value: string, more = "") =>
      `<c r="${place}" ${more}><v>${value}</v></c>`;
    const bytes = officePackage("xl/workbook.xml", {
      "xl/workbook.xml": `<workbook xmlns:r="r"><sheets><sheet name="Yield" sheetId="1" r:id="r1"/><sheet name="Secret" sheetId="2" state="hidden" r:id="r1"/></sheets></workbook>`,
      "xl/_rels/workbook.xml.rels": relations(
        ["r1", "worksheet", "/xl/worksheets/one.xml"],
        ["r2", "sharedStrings", "sharedStrings.xml"],
        ["r3", "styles", "styles.xml"],
      ),
      "xl/sharedStrings.xml": `<sst><si><t>Field</t></si><si><r><t>No</t></r><r><t>rth</t></r><rPh><t>x</t></rPh></si></sst>`,
      "xl/styles.xml": `<styleSheet><numFmts><numFmt numFmtId="170" formatCode="yyyy\\-mm\\-dd"/><numFmt numFmtId="171" formatCode="0.0&quot; days&quot;"/></numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="170"/><xf numFmtId="22"/><xf numFmtId="171"/><xf numFmtId="20"/></cellXfs></styleSheet>`,
      "xl/worksheets/one.xml": `<worksheet><sheetData><row r="1">${c("B1", "0", 't="s"')}${c("D1", "Sum", 't="str"')}</row><row/><row r="3">${c("B3", "1", 't="s"')}${c("D3", "0.30000000000000004")}${c("E3", "46204", 's="1"')}${c("F3", "46204.5", 's="2"')}${c("G3", "2", 's="3"')}${c("H3", "0.25", 's="4"')}${c("I3", "1", 't="b"')}<c r="J3" t="inlineStr"><is><t>in</t></is></c></row></sheetData></worksheet>`,
    });
    const found = await read(bytes);
    expect(found).toMatchObject({ format: "xlsx", unit: "sheet", count: 1 });
    expect(found.parts).toMatchObject([{ number: 1, title: "Yield" }]);
    expect(found.parts[0]?.text).toBe(
      "Field\tSum\t\t\t\t\t\t\nNorth\t0.3\t2026-07-01\t2026-07-01T12:00:00\t2\t06:00:00\tTRUE\tin".replace(
        "\t\t\t\t\t\t\n",
        "\t\t\t\t\t\t\n",
      ),
    );
  });

  test.each([
    ["[h]:mm", "1.5", "36:00:00"],
    ["[mm]:ss", "-0.0625", "-01:30:00"],
    [46, "1.000011574", "24:00:01"],
    [45, "0.25", "06:00:00"],
    ["[Red][h]:mm;@", "1e300", "1e+300"],
    ["_-* #,##0.00\\ _D_M_-", "1234.5", "1234.5"],
    ["*d0", "1234", "1234"],
    ["[$-409]d/m/yyyy", "46204", "2026-07-01"],
    [14, "1", "1900-01-01"],
    [14, "59.5", "1900-02-28T12:00:00"],
    [14, "61", "1900-03-01"],
    [20, "0.5", "12:00:00"],
  ])("xlsx: a number in the format %s", async (format, value, shown) => {
    const own = typeof format === "string" ? 164 : format;
    const bytes = officePackage("xl/workbook.xml", {
      "xl/workbook.xml": `<workbook xmlns:r="r"><sheets><sheet name="A" sheetId="1" r:id="r1"/></sheets></workbook>`,
      "xl/_rels/workbook.xml.rels": relations(
        ["r1", "worksheet", "/xl/worksheets/one.xml"],
        ["r3", "styles", "styles.xml"],
      ),
      "xl/styles.xml": `<styleSheet><numFmts><numFmt numFmtId="164" formatCode="${format}"/></numFmts><cellXfs><xf numFmtId="${own}"/></cellXfs></styleSheet>`,
      "xl/worksheets/one.xml": `<worksheet><sheetData><row r="1"><c r="A1" s="0"><v>${value}</v></c></row></sheetData></worksheet>`,
    });
    expect((await read(bytes)).parts[0]?.text).toBe(shown);
  });

  test("pptx", async () => {
    const shape = (type: string, ...texts: string[]) =>
      `<p:sp><p:nvSpPr><p:nvPr>${type && `<p:ph type="${type}"/>`}</p:nvPr></p:nvSpPr><p:txBody>${texts.map((text) => `<a:p><a:r><a:t>${text}</a:t></a:r></a:p>`).join("")}</p:txBody></p:sp>`;
    const slide = (inner: string) =>
      `<p:sld xmlns:p="p" xmlns:a="a"><p:cSld><p:spTree>${inner}</p:spTree></p:cSld></p:sld>`;
    const bytes = officePackage("ppt/presentation.xml", {
      "ppt/presentation.xml": `<p:presentation xmlns:p="p" xmlns:r="r"><p:sldIdLst><p:sldId id="256" r:id="r2"/><p:sldId id="257" r:id="r1"/></p:sldIdLst></p:presentation>`,
      "ppt/_rels/presentation.xml.rels": relations(
        ["r1", "slide", "slides/one.xml"],
        ["r2", "slide", "slides/two.xml"],
      ),
      "ppt/slides/one.xml": slide(shape("", "Last")),
      "ppt/slides/two.xml": slide(
        `${shape("title", "Tea")}${shape("body", "Green", "Black")}${shape("sldNum", "7")}<p:graphicFrame><a:graphic><a:tbl><a:tr><a:tc><a:txBody><a:p><a:r><a:t>x</a:t></a:r></a:p></a:txBody></a:tc></a:tr></a:tbl></a:graphic></p:graphicFrame>`,
      ),
    });
    const found = await read(bytes);
    expect(found).toMatchObject({ format: "pptx", unit: "slide", count: 2 });
    expect(found.parts.map(({ title, markdown }) => [title, markdown])).toEqual([
      ["Tea", "# Tea\n\n- Green\n- Black\n\n| x |\n| --- |"],
      [undefined, "Last"],
    ]);
  });

  const open = (kind: string, content: string, more: Record<string, string> = {}) =>
    zip({
      mimetype: `application/vnd.oasis.opendocument.${kind}`,
      "content.xml": `<office:document-content xmlns:office="o" xmlns:text="t" xmlns:table="b" xmlns:draw="d" xmlns:presentation="p" xmlns:xlink="x"><office:automatic-styles><text:list-style text:name="L1"><text:list-level-style-number/></text:list-style></office:automatic-styles><office:body>${content}</office:body></office:document-content>`,
      "meta.xml": `<office:document-meta xmlns:office="o" xmlns:dc="c" xmlns:meta="m"><office:meta><dc:title>Tea</dc:title><meta:initial-creator>Mai</meta:initial-creator><meta:creation-date>2026-07-01T10:00:00</meta:creation-date></office:meta></office:document-meta>`,
      ...more,
    });
  const cell = (text: string, more = "") =>
    `<table:table-cell ${more}><text:p>${text}</text:p></table:table-cell>`;

  test("odt", async () => {
    const found = await read(
      open(
        "text",
        `<office:text><text:tracked-changes><text:p>gone</text:p></text:tracked-changes><text:h text:outline-level="2">Harvest</text:h><text:p>A<text:s text:c="2"/>b<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>Note</text:p></text:note-body></text:note> <text:a xlink:href="https://site.test/">link</text:a></text:p><text:list text:style-name="L1"><text:list-item><text:p>one</text:p><text:list><text:list-item><text:p>two</text:p></text:list-item></text:list></text:list-item></text:list><table:table><table:table-row>${cell("x", 'table:number-columns-repeated="2"')}</table:table-row></table:table></office:text>`,
      ),
    );
    expect(found).toMatchObject({
      format: "odt",
      unit: "document",
      title: "Tea",
      authors: ["Mai"],
      createdAt: "2026-07-01T10:00:00",
    });
    expect(found.parts[0]?.markdown.split("\n\n")).toEqual([
      "## Harvest",
      "A  b (Note) [link](<https://site.test/>)",
      "1. one\n   1. two",
      "| x | x |\n| --- | --- |",
    ]);
  });

  test("ods and odp", async () => {
    const rows = `<table:table-row>${cell("a")}<table:table-cell table:number-columns-repeated="16000"/>${cell("b")}</table:table-row><table:table-row table:number-rows-repeated="1048000"><table:table-cell/></table:table-row>`;
    const sheets = await read(
      open(
        "spreadsheet",
        `<office:spreadsheet><table:table table:name="One">${rows}</table:table></office:spreadsheet>`,
      ),
    );
    expect(sheets).toMatchObject({ format: "ods", parts: [{ title: "One", text: "a\tb" }] });
    const slides = await read(
      open(
        "presentation",
        `<office:presentation><draw:page><draw:frame presentation:class="title"><draw:text-box><text:p>Tea</text:p></draw:text-box></draw:frame><draw:frame><draw:text-box><text:p>Green</text:p></draw:text-box></draw:frame><presentation:notes><draw:frame><draw:text-box><text:p>note</text:p></draw:text-box></draw:frame></presentation:notes></draw:page></office:presentation>`,
      ),
    );
    expect(slides).toMatchObject({
      format: "odp",
      unit: "slide",
      parts: [{ title: "Tea", markdown: "# Tea\n\nGreen" }],
    });
  });

  const book = (more: Record<string, string> = {}) =>
    zip({
      mimetype: "application/epub+zip",
      "META-INF/container.xml": `<container><rootfiles><rootfile full-path="OEBPS/book.opf"/></rootfiles></container>`,
      "OEBPS/book.opf": `<package xmlns:dc="c"><metadata><dc:title>Tea</dc:title><dc:creator>Mai</dc:creator><dc:language>en</dc:language></metadata><manifest><item id="a" href="text/a%20b.xhtml"/></manifest><spine><itemref idref="a"/></spine></package>`,
      "OEBPS/text/a b.xhtml": `<!DOCTYPE html><html><head><title>t</title><style>p {}</style></head><body><section><h2>One</h2><p>Tea&nbsp;is <b>green</b><br/>or black.</p><script>no()</script><ol><li>a<ul><li>b</li></ul></li></ol><table><tr><th>x</th><td>y</td></tr></table></section></body></html>`,
      ...more,
    });

  test("epub", async () => {
    const found = await read(book());
    expect(found).toMatchObject({
      format: "epub",
      unit: "chapter",
      title: "Tea",
      authors: ["Mai"],
      language: "en",
    });
    expect(found.parts[0]?.title).toBe("One");
    expect(found.parts[0]?.markdown.split("\n\n")).toEqual([
      "## One",
      "Tea\u00A0is green\nor black.",
      "1. a\n  - b",
      "| x | y |\n| --- | --- |",
    ]);
  });

  test("an epub's lines of code", async () => {
    const chapter = `<html><body><div><pre>\n  a <b>b</b>\n\tc *d*<br/>${"`".repeat(3)}\n</pre></div><p>end</p></body></html>`;
    const { parts } = await read(book({ "OEBPS/text/a b.xhtml": chapter }));
    const code = `  a b\n\tc *d*\n${"`".repeat(3)}`;
    const fence = "`".repeat(4);
    expect(parts[0]?.markdown).toBe(`${fence}\n${code}\n${fence}\n\nend`);
    expect(parts[0]?.text).toBe(`${code.trim()}\n\nend`);
    const list = `<html><body><ol><li>first <div>step<pre>a\n  b</pre>then</div></li><li>last</li></ol></body></html>`;
    const { parts: items } = await read(book({ "OEBPS/text/a b.xhtml": list }));
    const block = "   ```\n   a\n     b\n   ```";
    expect(items[0]?.markdown).toBe(`1. first step\n${block}\n\nthen\n\n1. last`);
  });

  test("entities that a file declares are not expanded", async () => {
    const content = `<!DOCTYPE d [<!ENTITY a "expanded"><!ENTITY x SYSTEM "file:///etc/passwd">]><w:document><w:body><w:p><w:r><w:t>&a;&x; end</w:t></w:r></w:p></w:body></w:document>`;
    const { parts } = await read(
      officePackage("word/document.xml", { "word/document.xml": content }),
    );
    expect(parts[0]?.text).toBe("&a;&x; end");
  });

  describe("that cannot be read", () => {
    const compound = (text: string) =>
      Buffer.concat([Buffer.from("D0CF11E0A1B11AE1", "hex"), Buffer.from(text, "utf16le")]);
    const bomb = zipSync({
      "_rels/.rels": Buffer.from(relations(["r1", "officeDocument", "a.xml"])),
      "a.xml": new Uint8Array(50_000_000),
    });
    const locked = zip({ a: "a" });
    locked[6] = 1;
    const standard = `/Filter /Standard /V 1 /R 2 /P -4 /O <${"11".repeat(32)}> /U <${"22".repeat(32)}>`;
    test.each([
      [
        "an encrypted PDF",
        pdf(["a"], { encrypt: standard }),
        "The document is encrypted: it cannot be read without its password",
      ],
      ["a broken PDF", Buffer.from("%PDF-1.4\nnothing"), "The document is broken"],
      [
        "an encrypted docx",
        compound("EncryptedPackage"),
        "The document is encrypted: it cannot be read without its password",
      ],
      [
        "a doc",
        compound("WordDocument"),
        "The document is of a format before 2007 (doc, xls, ppt), which is not read",
      ],
      [
        "an encrypted zip",
        locked,
        "The document is encrypted: it cannot be read without its password",
      ],
      [
        "an encrypted odt",
        open("text", "", { "META-INF/manifest.xml": "<manifest:encryption-data>" }),
        "The document is encrypted: it cannot be read without its password",
      ],
      [
        "an encrypted epub",
        book({
          "META-INF/encryption.xml": `<encryption><EncryptedData><CipherData><CipherReference URI="OEBPS/text/a%20b.xhtml"/></CipherData></EncryptedData></encryption>`,
        }),
        "The document is encrypted: it cannot be read without its password",
      ],
      ["a bomb", bomb, "The document unpacks to more than its limits"],
      ["a broken zip", zip({ a: "a" }).subarray(0, 40), "The document is broken"],
    ])("%s", async (_, bytes, message) => {
      await expect(read(bytes)).rejects.toThrow(message);
    });

    test("another zip or a page is no document", async () => {
      expect(await tried(zip({ a: "a" }))).toBeUndefined();
      expect(await tried(Buffer.from("<html>"))).toBeUndefined();
    });

    test("a PDF whose page unpacks without end, and the next one is read", async () => {
      const block = deflateRawSync(Buffer.alloc(2 ** 20, " "), {
        finishFlush: constants.Z_FULL_FLUSH,
      });
      const blocks = Array.from({ length: 2000 }, () => block);
      const packed = Buffer.concat([Buffer.from([0x78, 0x9c]), ...blocks, Buffer.from([3, 0])]);
      await expect(read(pdf([""], { packed }))).rejects.toThrow("takes too much time or memory");
      expect(await markdownOf(pdf([body(700, "next")]))).toEqual(["next"]);
    });
  });
});
