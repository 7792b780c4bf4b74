import { expect, test } from "vitest";
import { decodeInput } from "../../api/input.ts";
import { GatewayError } from "../../contract/errors.ts";
import { operations } from "../../contract/index.ts";
import type { Operation } from "../../contract/operation.ts";
import { requestOf } from "./inputs.ts";
import { answer, type Input, play } from "./play.ts";

const resolving = [...operations.values()].filter(
  (op) => op.id.includes("resolve") && Object.hasOwn(op.input.shape, "url"),
);

/** An address that the operation accepts; the example of `users.resolve` is a handle. */
const known: Record<string, string> = {
  "shortclip.users.resolve": "https://www.tiktok.com/@sample.maker",
};
const addressOf = (op: Operation) => known[op.id] ?? String((op.example as { url: string }).url);

const decoded = (op: Operation, url: string) => decodeInput(op, requestOf(op, { url })) as Input;

async function refusal(op: Operation, url: string): Promise<string> {
  try {
    const played = await play(op, decoded(op, url));
    return played.ok ? "ok" : `${played.type} ${played.message}`;
  } catch (error) {
    const { type, message } = error as GatewayError;
    return `${type} ${message}`;
  }
}

test("addresses are resolved by these operations", () => {
  expect(resolving.map((op) => op.id)).toEqual([
    "photosite.resolve.shortcode",
    "shortclip.videos.resolve",
    "shortclip.users.resolve",
    "shortclip.resolve.video_id",
    "videosite.resolve.channel_id",
  ]);
});

test.each(resolving)("$id: an address without a scheme works like one with it", async (op) => {
  const address = addressOf(op);
  const whole = await answer(op, decoded(op, address));
  for (const other of [
    address.replace("https://", ""),
    address.replace("https:", ""),
    address.replace("https://www.", "http://"),
    ` ${address} `,
  ]) {
    const { data } = await answer(op, decoded(op, other));
    // The answer may repeat the address itself.
    expect({ ...(data as object), url: "" }, other).toEqual({ ...(whole.data as object), url: "" });
  }
});

test.each(resolving)(
  "$id: an address of another site is refused with the expected site",
  async (op) => {
    for (const url of [
      "https://example.com/p/CAnqPB-Jzcj/",
      "example.com/@sample.maker",
      "https://instagram.com.example.com/p/CAnqPB-Jzcj/",
      "ftp://www.tiktok.com/@sample.maker/video/7300000000000000001",
      "https://someone@www.youtube.com/@samplechannel",
    ]) {
      expect(await refusal(op, url), url).toMatch(
        /^validation_error url: must be an http or https address on (instagram|tiktok|youtube)\.com\b/,
      );
    }
  },
);
