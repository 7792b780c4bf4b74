import type { SampleRequest } from "../../../sandbox/sample.ts";
import { words } from "../../../sandbox/figures.ts";
import { slice, vary } from "../../../sandbox/vary.ts";

const listed = { usual: 30, long: 60 };

export function paged(request: SampleRequest, name: string, make: (index: number) => object) {
  const total = request.empty ? 0 : request.secondPage ? listed.long : listed.usual;
  const [offset, count] = [Number(request.query?.offset), Number(request.query?.limit)];
  const next = offset + count;
  return {
    [name]: slice({ total, offset, count }, make),
    pagination: {
      count: total,
      ...(next < total
        ? { next: `https://api.congress.gov${request.path}?offset=${next}&limit=${count}` }
        : {}),
    },
    request: { contentType: "application/json", format: "json" },
  };
}

export const day = (index: number) => `2026-03-${String(28 - (index % 28)).padStart(2, "0")}`;

export function billRow(congress: number, type: string, number: string, index: number) {
  const v = vary("bill", congress, type, number);
  return {
    congress,
    latestAction: {
      actionDate: day(index),
      ...(index % 2 === 0 ? { actionTime: "12:34:43" } : {}),
      text: `Referred to the Committee on ${v.pick("committee", words)}.`,
    },
    number,
    originChamber: type.startsWith("H") ? "House" : "Senate",
    originChamberCode: type.slice(0, 1),
    title: index % 7 === 6 ? "" : `${v.pick("title", words)} Act of 2026`,
    type,
    updateDate: day(index),
    updateDateIncludingText: `${day(index)}T03:27:05Z`,
    url: `https://api.congress.gov/v3/bill/${congress}/${type.toLowerCase()}/${number}?format=json`,
  };
}
