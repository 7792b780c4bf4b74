/** Pages of many kinds, mostly with pictures, media or fonts. */

const text = (words: number) =>
  "Plain words of a page that somebody may want to read. ".repeat(words);
const links = (count: number) =>
  Array.from({ length: count }, (_, n) => `<p><a href="/link-${n}">link ${n}</a></p>`).join("");
const sized = `<img src="/picture.svg" width="300" height="200" alt="A picture">`;
const unsized = `<img src="/picture.svg" alt="A picture">`;
const later = `<img src="/slow.svg" alt="Load waits for it">`;
const face = `<style>@font-face { font-family: own; src: url(/own.woff2) } body { font-family: own, serif }</style>`;

/** Page layouts; every layout is served with every body. */
const layouts: Record<string, (body: string) => string> = {
  plain: (body) => body,
  table: (body) => `<table><tr><th>Head</th><td>${body}</td></tr></table>`,
  columns: (body) => `<div style="columns: 3">${body}${text(20)}</div>`,
  "own font": (body) => `${face}${body}`,
};

const bodies: Record<string, string> = {
  text: text(40),
  links: links(40),
  "sized pictures": `${sized.repeat(5)}${links(10)}`,
  "lazy pictures": `${text(10)}${sized.replace("<img", "<img loading=lazy").repeat(4)}${links(5)}`,
  "background pictures": `<div style="background: url(/picture.svg); height: 200px">${text(3)}</div>${links(5)}`,
  "srcset and picture element": `<picture><source srcset="/picture.svg 2x" media="(min-width: 500px)"><img src="/picture.svg" width=30 height=20 alt=x></picture>${text(5)}`,
  "figure with caption": `<figure>${sized}<figcaption>What it shows</figcaption></figure>${text(4)}`,
  video: `<video src="/film.mp4" poster="/picture.svg" width=320 height=180 controls>no video</video>${text(4)}`,
  audio: `<audio src="/sound.mp3" controls></audio>${text(4)}`,
  list: `<ul>${"<li>entry <b>of</b> a list</li>".repeat(20)}</ul>`,
  "script that builds": `<div id=a></div><script>a.innerHTML = ${JSON.stringify(links(8))}</script>`,
};

/** Pages whose script or layout depends on an omitted resource. */
const dependent: Record<string, string> = {
  "unsized pictures above links": `${unsized.repeat(8)}${links(40)}`,
  "text written by onload": `<p id=a>waiting</p><img src="/picture.svg" onload="a.textContent='the picture is here'">`,
  "picture removed by onerror": `${text(3)}<img src="/picture.svg" alt="shop" onerror="this.remove()">`,
  "fallback text by onerror": `<p id=a></p><img src="/picture.svg" onerror="a.textContent='no picture'">`,
  "gallery by naturalWidth": `<div id=a></div>${later}<script>onload = () => { for (const i of document.images) a.append(i.naturalWidth + " wide ") }</script>`,
  "content shown when all have loaded": `<main style="display:none" id=a>${text(4)}</main>${later}<script>document.images[0].onload = () => a.style.display = "block"</script>`,
  "drawn on a canvas": `<p id=a></p><img id=i src="/picture.svg"><script>i.onload = () => { const c = document.createElement("canvas").getContext("2d"); c.drawImage(i, 0, 0); a.textContent = "drawn" }</script>`,
  "fonts counted": `${face}<p>b</p><p id=a></p>${later}<script>document.fonts.ready.then(() => a.textContent = [...document.fonts].map((f) => f.status).join())</script>`,
  "video that prints its length": `<p id=a></p><video src="/film.mp4" onerror="a.textContent='no film'"></video>${later}`,
};

export const variedPages: ReadonlyMap<string, string> = new Map([
  ...Object.entries(layouts).flatMap(([layout, wrap]) =>
    Object.entries(bodies).map(([name, body]) => [`${layout}: ${name}`, wrap(body)] as const),
  ),
  ...Object.entries(dependent),
]);
