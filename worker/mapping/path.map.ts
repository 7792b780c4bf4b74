/** A name with slashes as the path of an address: the slashes stay, other signs are escaped. */
export const escapedPath = (name: string): string =>
  name.split("/").map(encodeURIComponent).join("/");

/** A part of an address without its escapes; one with a bare percent sign stays as it is. */
export function unescaped(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
