import { strToU8, zipSync } from "fflate";

/** A PDF of these pages, each given by its drawing operators; `/F` is Helvetica, `/H` writes A, B, C as Hebrew letters. */
export function pdf(
  pages: readonly string[],
  more: { info?: string; encrypt?: string; packed?: Uint8Array } = {},
): Uint8Array {
  const letters =
    "/CIDInit /ProcSet findresource begin begincmap 1 begincodespacerange <00> <FF> endcodespacerange 3 beginbfchar <41> <05D0> <42> <05D1> <43> <05D2> endbfchar endcmap end";
  const stream = (data: string, entries = "") =>
    `<< /Length ${data.length} ${entries}>>\nstream\n${data}\nendstream`;
  const first = 6;
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    `<< /Type /Pages /Count ${pages.length} /Kids [${pages.map((_, at) => `${first + 2 * at} 0 R`).join(" ")}] >>`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /ToUnicode 5 0 R >>",
    stream(letters),
    ...pages.flatMap((content, at) => [
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents ${first + 2 * at + 1} 0 R /Resources << /Font << /F 3 0 R /H 4 0 R >> >> >>`,
      more.packed
        ? stream(Buffer.from(more.packed).toString("latin1"), "/Filter /FlateDecode ")
        : stream(content),
    ]),
    `<< ${more.info ?? ""} >>`,
    `<< ${more.encrypt ?? ""} >>`,
  ];
  let file = "%PDF-1.4\n";
  const places = objects.map((object, at) => {
    const place = file.length;
    file += `${at + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(place).padStart(10, "0")} 00000 n \n`;
  });
  const size = objects.length + 1;
  const encrypt = more.encrypt ? `/Encrypt ${objects.length} 0 R /ID [<00> <00>] ` : "";
  const trailer = `trailer\n<< /Size ${size} /Root 1 0 R /Info ${objects.length - 1} 0 R ${encrypt}>>\nstartxref\n${file.length}\n%%EOF\n`;
  return Buffer.from(
    `${file}xref\n0 ${size}\n0000000000 65535 f \n${places.join("")}${trailer}`,
    "latin1",
  );
}

/** Operators that write a text at a place. */
export const at = (x: number, y: number, size: number, text: string, font = "F") =>
  `BT /${font} ${size} Tf ${x} ${y} Td (${text}) Tj ET\n`;

export const zip = (files: Readonly<Record<string, string>>) =>
  zipSync(Object.fromEntries(Object.entries(files).map(([name, text]) => [name, strToU8(text)])));

const office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";

export const relations = (...entries: [id: string, type: string, target: string][]) =>
  `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${entries
    .map(
      ([id, type, target]) =>
        `<Relationship Id="${id}" Type="${office}/${type}" Target="${target}"${/^https?:/.test(target) ? ' TargetMode="External"' : ""}/>`,
    )
    .join("")}</Relationships>`;

/** An Office Open XML package whose main part is given with its relations. */
export function officePackage(main: string, files: Readonly<Record<string, string>>): Uint8Array {
  return zip({ "_rels/.rels": relations(["r1", "officeDocument", main]), ...files });
}
