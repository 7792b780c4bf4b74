import { live } from "../../../sandbox/dataforseo-live.ts";
import {
  type Element,
  phone,
  rating,
  searchPage,
  street,
} from "../../../sandbox/dataforseo-search-page.ts";
import { site, words } from "../../../sandbox/figures.ts";
import { type Vary } from "../../../sandbox/vary.ts";

/** Only some descriptions contain an address, and no business has coordinates. */
function business(v: Vary, index: number, subject: string): Element {
  const domain = site(v, index);
  const years = `${v.int("years", 2, 30)}+ years in business`;
  const hours = `Open ⋅ Closes ${v.int("closes", 5, 9)} PM`;
  return {
    type: "local_pack",
    position: "left",
    xpath: "/html[1]/body[1]/div[1]",
    title: `${v.pick("name", words)} ${subject}`,
    description: [
      [years, `${street(v)}, Sampletown`].slice(index % 3 === 2 ? 1 : 0).join(" · "),
      `${hours} · ${phone}`,
      `"Went for the ${v.pick("praise", words)}"`,
    ].join("\n"),
    domain: index % 2 === 0 ? domain : null,
    phone: index % 4 === 3 ? null : phone,
    url: index % 2 === 0 ? `https://${domain}/` : null,
    image_url: index % 3 === 1 ? `https://images.example/${v.pick("image", words)}.webp` : null,
    is_paid: index % 7 === 1,
    rating: index % 5 === 4 ? null : rating(v),
    cid: v.digits("cid", 19),
    booking_url: index % 3 === 0 ? `https://${domain}/book` : null,
    rectangle: null,
  };
}

/** Sample answers, written for this project. */
export const local = live("/v3/serp/google/local_finder/live/advanced", (task, request) =>
  searchPage("local_finder", task, request, business),
);
