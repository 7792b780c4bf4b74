import type { SampleRequest } from "../sandbox.ts";
import { type SampleTask, live } from "./live.ts";
import { moment, site, words } from "./seo-links.ts";
import { type Vary, vary } from "./vary.ts";

type Element = { type: string; [name: string]: unknown };

/** A search page: `make` makes the elements one by one until `depth` of them are no adverts. */
function searchPage(
  kind: string,
  task: SampleTask,
  request: SampleRequest,
  make: (v: Vary, index: number, subject: string) => Element,
  more: { [name: string]: unknown } = {},
) {
  const subject = String(task.keyword);
  const where = String(task.location_name ?? task.location_code ?? task.location_coordinate);
  const depth = request.empty ? 0 : Number(task.depth ?? 20);
  const items: Element[] = [];
  const ranks = new Map<string, number>();
  for (let index = 0, found = 0; found < depth; index += 1) {
    const element = make(vary(kind, subject, where, index), index, subject);
    const rank = (ranks.get(element.type) ?? 0) + 1;
    ranks.set(element.type, rank);
    items.push({ ...element, rank_group: rank, rank_absolute: index + 1 });
    if (element.is_paid !== true && !element.type.includes("paid")) found += 1;
  }
  const v = vary(kind, subject, where);
  return {
    keyword: subject,
    type: kind,
    se_domain: "google.com",
    location_code: task.location_code ?? 2840,
    language_code: task.language_code ?? "en",
    check_url: `https://www.google.com/search?q=${encodeURIComponent(subject)}`,
    datetime: moment(v, "seen", 2026),
    spell: null,
    refinement_chips: null,
    ...more,
    item_types: items.length === 0 ? null : [...ranks.keys()],
    se_results_count: kind === "news" ? v.int("total", 1000, 900_000) : 1234 * depth,
    items_count: items.length,
    items: items.length === 0 ? null : items,
  };
}

const phone = "+1 555-555-0100";
const street = (v: Vary) => `${v.int("number", 1, 400)} ${v.pick("street", words)} street`;
const rating = (v: Vary) => ({
  rating_type: "Max5",
  value: v.int("rating", 30, 50) / 10,
  votes_count: v.int("votes", 1, 900),
  rating_max: 5,
});

/** The address stands in some descriptions only, and no coordinate anywhere. */
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

const hours = (open: number, close: number) => [
  { open: { hour: open, minute: 0 }, close: { hour: close, minute: 30 } },
];

function place(v: Vary, index: number, subject: string): Element {
  const domain = site(v, index);
  const address = street(v);
  if (index % 6 === 1) {
    return {
      type: "maps_paid_item",
      domain,
      title: `${subject} by ${v.pick("name", words)}`,
      url: `https://${domain}/offer`,
      rating: rating(v),
      rating_distribution: null,
    };
  }
  const bare = index % 5 === 3;
  const directory = index % 6 === 2;
  return {
    type: "maps_search",
    domain: bare ? null : domain,
    title: `${v.pick("name", words)} ${subject}`,
    original_title: null,
    url: bare ? null : `https://${domain}/`,
    contact_url: bare ? null : `https://${domain}/contact`,
    contributor_url: null,
    book_online_url: index % 4 === 0 ? `https://${domain}/book` : null,
    rating: bare ? null : rating(v),
    rating_distribution: bare
      ? null
      : { "1": 1, "2": 0, "3": 2, "4": 3, "5": v.int("five", 4, 90) },
    snippet: `${address}, Sampletown`,
    address: bare ? null : `${address}, Sampletown`,
    address_info: bare
      ? null
      : {
          borough: `${v.pick("borough", words)} side`,
          address,
          city: "Sampletown",
          zip: v.digits("zip", 5),
          region: "Sample State",
          country_code: "US",
        },
    place_id: `ChIJ${v.token("place", 23)}`,
    phone: bare ? null : phone,
    main_image: bare ? null : `https://images.example/${v.pick("image", words)}-${index}.webp`,
    total_photos: v.int("photos", 0, 90),
    category: `${v.pick("category", words)} shop`,
    additional_categories: bare ? null : [`${v.pick("other", words)} store`],
    category_ids: ["shop"],
    work_hours: bare
      ? { timetable: null, current_status: "close" }
      : {
          timetable: { monday: hours(v.int("open", 6, 10), 17), sunday: null },
          current_status: "open",
        },
    feature_id: `0x${v.digits("feature", 12)}:0x${v.digits("feature 2", 12)}`,
    cid: v.digits("cid", 19),
    // Where nobody knows the point, it is zero and zero.
    latitude: bare ? 0 : 41 + v.int("latitude", 0, 9999) / 10_000,
    longitude: bare ? 0 : -87 - v.int("longitude", 0, 9999) / 10_000,
    is_claimed: !bare,
    local_justifications: null,
    is_directory_item: directory,
    price_level: bare ? null : "inexpensive",
    hotel_rating: index % 4 === 0 ? v.int("stars", 1, 5) : null,
    items: directory
      ? [
          {
            type: "maps_search",
            rank_group: 0,
            rank_absolute: 0,
            title: `${v.pick("inner", words)} kiosk`,
            domain: `kiosk.${domain}`,
            url: `https://kiosk.${domain}/`,
            snippet: `Inside ${address}`,
            phone,
            address: `${address}, first floor`,
            category: "kiosk",
            rating: rating(v),
            main_image: `https://images.example/kiosk-${index}.webp`,
            latitude: 41.5,
            longitude: -87.5,
          },
        ]
      : null,
  };
}

function article(v: Vary, index: number, subject: string): Element {
  const story = (number: number) => {
    const domain = site(vary(v.digits("story", 9), number), number);
    return {
      type: "top_stories_element",
      source: `${v.pick(`source ${number}`, words)} times`,
      domain,
      title: `${subject} and the ${v.pick(`story ${number}`, words)}`,
      date: `${number + 1} hours ago`,
      amp_version: false,
      timestamp: number === 0 ? moment(v, `story ${number}`, 2026) : null,
      url: `https://${domain}/story-${number}`,
      image_url: null,
    };
  };
  const layout = { position: "left", xpath: "/html[1]/body[1]/div[2]", rectangle: null };
  if (index % 4 === 1) {
    const title = `Top: ${v.pick("top", words)}`;
    return { type: "top_stories", ...layout, title, items: [story(0), story(1)] };
  }
  const domain = site(v, index);
  const timed = index % 3 !== 2;
  return {
    type: "news_search",
    ...layout,
    domain,
    title: `${subject}: news of ${v.pick("news", words)}`,
    url: `https://${domain}/${v.pick("path", words)}-${index}`,
    // A copy on the vendor's own host, which names its task.
    image_url:
      index % 2 === 0
        ? `https://images.example/${v.pick("image", words)}.webp`
        : "https://api.dataforseo.com/cdn/i/07010000-0000-0000-0000-000000000000:0",
    snippet: `What is known about ${subject} and ${v.pick("snippet", words)}`,
    source: `${v.pick("source", words)} post`,
    badges: index % 2 === 0 ? ["Live"] : null,
    time_published: timed ? `${v.int("hours", 1, 20)} hours ago` : null,
    timestamp: timed ? moment(v, "published", 2026) : null,
  };
}

const at = (name: string) => `/v3/serp/google/${name}/live/advanced`;

export const searchPages = {
  ...live(at("local_finder"), (task, request) =>
    searchPage("local_finder", task, request, business),
  ),
  ...live(at("maps"), (task, request) => searchPage("maps", task, request, place)),
  ...live(at("news"), (task, request) =>
    searchPage("news", task, request, article, {
      includes_non_news_search_results: !request.empty,
    }),
  ),
};
