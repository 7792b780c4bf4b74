/**
 * A robots.txt as its parser expects it, with the same lines. The name of an agent ends at a space, as for Google's
 * parser, because RFC 9309 has no spaces in it; and a colon that was forgotten is there.
 */
export function tidyRobots(text: string): string {
  return text.replace(/[^\r\n]+/g, (line) => {
    const found = /^\s*(user-agent|allow|disallow)(\s*:\s*|\s+)([^\s#:]\S*)/i.exec(line);
    if (!found) return line;
    const [, name = "", divider = "", value = ""] = found;
    if (/^user-agent$/i.test(name)) return `${name}: ${value}`;
    return divider.includes(":") ? line : `${name}: ${value}`;
  });
}
