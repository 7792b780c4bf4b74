import { serialize } from "parse5";
import { expect, test } from "vitest";
import { convert } from "../../../worker/browser/markdown/convert.ts";
import { withinResultLimit } from "../../../worker/browser/page/result-limit.ts";
import { decodeHtml } from "../../../worker/browser/plain/charset.ts";
import { readPlainPage } from "../../../worker/browser/plain/plain-page.ts";

/** Pages by plain HTTP. */

test("its statements, links and content", () => {
  const found = readPlainPage(
    `<!doctype html><html lang=en><title> A &amp; B </title><base href="/dir/"><meta name=description content="Short">
    <link rel="shortcut icon" href=i.png><body><h1>A</h1><script>no()</script><p hidden>no<p style="display:none">no
    <p>One <b>two</b> <a href="x y">three</a><br>four &lt; five<pre><code class="language-ts">a
  b</code></pre><table><tr><td>1<td>2</table><a href="javascript:no()">five</a>`,
    "https://example.com/a/b",
  );
  expect(found).toMatchObject({
    base: "https://example.com/dir/",
    title: "A & B",
    language: "en",
    links: [{ url: "https://example.com/dir/x%20y", isFollowed: true }],
    text: "A One two three four < five a b 1 2 five",
  });
  expect(found.html).toContain(
    '<a href="https://example.com/dir/x%20y">three</a><br>four &lt; five',
  );
  expect(found.html).toContain('<pre><code class="language-ts">a\n  b</code></pre>');
  expect(found.html).not.toMatch(/no\b/);
});

const linksIn = (html: string) =>
  readPlainPage(html, "https://example.com/a/b").links.map(({ url }) => new URL(url).pathname);

test("a base counts for what stands before it, too", () => {
  const found = readPlainPage(
    `<link rel=canonical href=c><a href=x>x</a><base href="/d/"><base href="/no/">`,
    "https://example.com/a/b",
  );
  expect(found).toMatchObject({
    canonical: "https://example.com/d/c",
    links: [{ url: "https://example.com/d/x" }],
  });
});

test("the frames of a page are links", () => {
  expect(linksIn("<frameset><frame src=menu><frame src='/main'></frameset>")).toEqual([
    "/a/menu",
    "/main",
  ]);
});

test("the title of a drawing is not the page's", () => {
  const read = (html: string) => readPlainPage(html, "https://example.com/").title;
  expect(read("<body><svg><title>Icon</title></svg>")).toBeUndefined();
});

test.each([
  ["0;URL='/new'", "/new"],
  ["0; /new", "/new"],
  [" 5 , url = /new", "/new"],
  ["0 url=/new;b", "/new;b"],
  ["5", undefined],
  ["0;url=''", undefined],
  ["soon; url=/new", undefined],
])("the refresh %j leads to %s", (content, path) => {
  const found = linksIn(`<meta http-equiv=Refresh content="${content}">`);
  expect(found).toEqual(path === undefined ? [] : [path]);
});

test.each([
  ['src="data:image/gif;base64,AA" data-src="/a.jpg"', "/a.jpg"],
  ['srcset="/b.jpg 1x, /c.jpg 2x"', "/b.jpg"],
  ['src="/d.jpg" data-src="/e.jpg"', "/d.jpg"],
])("the picture %s", (attributes, path) => {
  const { html } = readPlainPage(`<img ${attributes} alt=p>`, "https://example.com/");
  expect(html).toContain(`<img src="https://example.com${path}"`);
});

test.each([
  ["<a href=o><h2>T</h2><p>b<b>c</b></p></a>", "## [T](O)\n\n[b**c**](O)"],
  [
    "<a href=o><div><img src=i alt=I><h3>C</h3></div>end</a>",
    "[![I](I)](O)\n\n### [C](O)\n\n[end](O)",
  ],
  ["<a href=o>t<ul><li>a<li>b</ul></a>", "[t](O)\n\n- [a](O)\n- [b](O)"],
  ["<a href=o></a><a href=p> </a><a href=q><br></a>z", "z"],
  ["<p>x <a href=o>one <b>two</b></a> y", "x [one **two**](O) y"],
  [
    "<table><tr><td><a href=o><p>c</p></a><td>2<tr><td>3<td>4</table>",
    "|  | |\n| --- | --- |\n| [c](O) | 2 |\n| 3 | 4 |",
  ],
])("links around blocks: %s", (body, markdown) => {
  const { html } = readPlainPage(body, "https://e.test/");
  const found = convert({ html, title: "", mainContentOnly: false });
  expect(found.replaceAll("https://e.test/o", "O").replaceAll("https://e.test/i", "I").trim()).toBe(
    markdown,
  );
});

test("tables with spanning cells, and tables that place parts of the page", () => {
  const markdown = (body: string) => {
    const { html } = readPlainPage(body, "https://example.com/");
    return convert({ html, title: "", mainContentOnly: false });
  };
  expect(
    markdown(`<table><caption>Cities</caption><thead><tr><th rowspan=2>Country<th colspan=2>City<tr><th>Name<th>Million
    <tbody><tr><td rowspan="2 rows">Germany<td>Berlin<td>3.7<tr><td>Hamburg<td><p>1.8</p></table>`),
  ).toBe(
    `Cities

| Country | City | |
| --- | --- | --- |
|  | Name | Million |
| Germany | Berlin | 3.7 |
|  | Hamburg | 1.8 |`,
  );
  expect(
    markdown(
      "<table><tr><th>A<th>B<tbody><tr><td rowspan=0>a<td>1<tr><td>2<tr><td>3<tbody><tr><td rowspan=9>b<td>4<tbody><tr><td>c<td>5</table>",
    ),
  ).toBe("| A | B |\n| --- | --- |\n| a | 1 |\n|  | 2 |\n|  | 3 |\n| b | 4 |\n| c | 5 |");
  expect(
    markdown("<table><tr><td><h1>A</h1><p>one<td><table><tr><td>1<td>2</table></table>"),
  ).toMatch(/^# A\n\none\n\n\|/);
  const wide = `<table><tr><td>a<td>b${"<tr><td>c".repeat(50_000)}<tr><td colspan=100>d</table>`;
  expect(readPlainPage(wide, "https://example.com/").html.length).toBeLessThan(10_000_000);
});

test("its links without a limit but that of an answer", () => {
  const linked = (count: number, base: string) =>
    readPlainPage(
      `<base href="${base}">${Array.from({ length: count }, (_, at) => `<a href=${at}>`).join("")}`,
      "https://example.com/",
    ).links.map((link) => link.url);
  expect(linked(6000, "/")).toHaveLength(6000);
  const long = linked(9000, `/${"x".repeat(4500)}/`);
  expect(long.length).toBeLessThan(9000);
  expect(() => withinResultLimit({ links: long })).toThrow("page");
});

test("a document that is nested without end is read", () => {
  const { text } = readPlainPage(`${"<div>".repeat(100_000)}deep`, "https://example.com/");
  expect(text).toBe("deep");
});

test.each([
  ["text/html; charset=iso-8859-1", "Th\xE9"],
  ["text/html", '<meta charset="windows-1252">Th\xE9'],
  ["text/html", "Th\xE9"],
  ["text/html", "\xEF\xBB\xBFTh\xC3\xA9"],
  ["text/html", "Th\xC3\xA9"],
  ["text/html; charset=none-such", "Th\xC3\xA9"],
  ["text/html", '<!-- <meta charset="koi8-r"> --><meta charset="utf-8">Th\xC3\xA9'],
  ["text/html", `<title>${"x".repeat(2000)}</title><meta charset="macintosh"></head>Th\x8E`],
  ["application/xhtml+xml", '<?xml version="1.0" encoding="iso-8859-2"?>Th\xE9'],
])("%s %j", (type, bytes) => {
  expect(decodeHtml(Buffer.from(bytes, "latin1"), type)).toMatch(/Thé$/);
});

test("XHTML is read as XML where it is well-formed", () => {
  const read = (body: string, type = "application/xhtml+xml; charset=utf-8") =>
    readPlainPage(
      `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title>T</title><script src="a.js"/></head><body>${body}</body></html>`,
      "https://example.com/",
      type,
    );
  const whole = read('<div/><p>A&nbsp;<b>b</b><![CDATA[ <c>]]></p><textarea/><a href="/x">x</a>');
  expect(whole).toMatchObject({ title: "T", links: [{ url: "https://example.com/x" }] });
  expect(whole.text.replace(/\s+/g, " ")).toContain("A b <c>");
  expect(whole.source).toContain('<script src="a.js"></script>');
  expect(read("<p>A<br>b</p></script><p>c", "text/html").text).toContain("c");
  // Browsers show what stands before the fault; its authors meant HTML.
  expect(read("</script><p>A<br>b</p>").text.replace(/\s+/g, " ")).toContain("A b");
});

test("declarative shadow roots are content, with their slots filled", () => {
  const { html, text, links, document } = readPlainPage(
    `<x-a><template shadowrootmode=open><h2>Root</h2><p><slot>none</slot> end</p><slot name=more></slot><slot name=other><i>own</i></slot>
       <x-b><template shadowrootmode=closed><b><slot></slot></b><a href="/in">in</a></template>inner</x-b></template>light<!-- c --><em slot=more>more</em><s slot=none>s</s></x-a>
     <template><p>no</p></template>`,
    "https://example.com/",
  );
  expect(text).toBe("Root light end more own inner in");
  expect(html).toContain("<p>light end</p><em>more</em><i>own</i>");
  expect(links.map(({ url }) => url)).toEqual(["https://example.com/in"]);
  // Selectors find what they find in a browser, which is nothing in a shadow root.
  expect(serialize(document)).toContain("<s slot");
  // A search through all content for each slot took minutes.
  const many = "<slot></slot>".repeat(50_000) + "</template>" + "<i>a</i>".repeat(50_000);
  const filled = readPlainPage(`<p><template shadowrootmode=open>${many}`, "https://example.com/");
  expect(filled.text).toHaveLength(2 * 50_000 - 1);
});

test("addresses of other schemes are no links, as where a browser reads the page", () => {
  const { html } = readPlainPage(
    `<a href="mailto:a@b.c">m</a> <a href="tel:1">t</a>`,
    "https://example.com/",
  );
  expect(html).toBe("m t");
});
