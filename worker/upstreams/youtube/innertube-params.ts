/** Parameters that the video site takes as protocol buffers in base64, built field by field. */

export interface SearchFilter {
  type: "video" | "channel" | "playlist";
  uploadDate?: "today" | "week" | "month" | "year" | undefined;
  duration?: "short" | "medium" | "long" | undefined;
  sort?: "relevance" | "popularity" | undefined;
}

const types = { video: 1, channel: 2, playlist: 3 };
const uploadDates = { today: 2, week: 3, month: 4, year: 5 };
const durations = { short: 4, medium: 5, long: 2 };

export function searchParams(filter: SearchFilter): string {
  const filters = Buffer.concat([
    ...(filter.uploadDate ? [number(1, uploadDates[filter.uploadDate])] : []),
    number(2, types[filter.type]),
    ...(filter.duration ? [number(3, durations[filter.duration])] : []),
  ]);
  const sort = filter.sort === "popularity" ? [number(1, 3)] : [];
  return encoded(Buffer.concat([...sort, bytes(2, filters)]));
}

export function hashtagParams(tag: string): string {
  const inner = Buffer.concat([bytes(1, tag), number(3, 1)]);
  return encoded(bytes(93, inner)).replaceAll("%2B", "-").replaceAll("%2F", "_");
}

/** Token of the first page of a video's comments. */
export function commentsToken(videoId: string, sort: "top" | "newest"): string {
  const options = Buffer.concat([
    bytes(4, videoId),
    ...(sort === "newest" ? [number(6, 1)] : []),
    number(15, 2),
  ]);
  const params = Buffer.concat([bytes(4, options), bytes(8, "comments-section")]);
  return encoded(Buffer.concat([bytes(2, bytes(2, videoId)), number(3, 6), bytes(6, params)]));
}

/** True for a token that belongs to the comments of this video. */
export function isTokenOf(token: string, videoId: string): boolean {
  const start = bytes(2, bytes(2, videoId));
  const plain = token.replace(/%3D/gi, "").replace(/%[0-9a-f]{0,2}/gi, "");
  return Buffer.from(plain, "base64").subarray(0, start.length).equals(start);
}

function encoded(message: Buffer): string {
  return encodeURIComponent(message.toString("base64"));
}

function varint(value: number): Buffer {
  const out: number[] = [];
  let rest = value;
  while (rest > 127) {
    out.push((rest & 127) | 128);
    rest >>>= 7;
  }
  return Buffer.from([...out, rest]);
}

function number(field: number, value: number): Buffer {
  return Buffer.concat([varint(field << 3), varint(value)]);
}

function bytes(field: number, value: string | Buffer): Buffer {
  const content = Buffer.from(value as string);
  return Buffer.concat([varint((field << 3) | 2), varint(content.length), content]);
}
