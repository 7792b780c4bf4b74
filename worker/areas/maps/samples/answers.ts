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
    // An unknown point has the coordinates zero and zero.
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

/** Sample answers, written for this project. */
export const maps = live("/v3/serp/google/maps/live/advanced", (task, request) =>
  searchPage("maps", task, request, place),
);
