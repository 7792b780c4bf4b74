import { expect, test } from "vitest";
import { ask } from "../answering.ts";

test("government surprise 14: any number of amendments in a row does not end a member's bills", async () => {
  const bill = { congress: 117, type: "S", number: "9", title: "Harbours" };
  const amendment = { congress: 117, amendmentNumber: "2137", type: "SAMDT" };
  const { played, asked } = await ask(
    "government.members.bills",
    { bioguide_id: "S000001", limit: 1 },
    ({ query }) => ({
      body: {
        sponsoredLegislation: [query?.offset === 7 ? bill : amendment],
        pagination: { count: 8 },
      },
    }),
  );
  expect(played).toMatchObject({ ok: true, data: [{ bill_id: "117-s-9" }] });
  expect(asked).toHaveLength(8);
});
