import { vary } from "../../../sandbox/vary.ts";

/** Sample records of the professional network in its resellers' form. */

const roles = ["Engineer", "Editor", "Baker", "Surveyor", "Teacher"];
const cities = ["Utrecht", "Leeds", "Porto", "Graz"];
const picture = (name: string) => `https://images.example/${name}.jpg`;

/** Several sizes of a picture, which expire. */
const sizes = (name: string) =>
  [100, 400, 200].map((width) => ({
    width,
    height: width,
    url: picture(`${name}-${width}`),
    expires_at: 1_800_000_000_000,
  }));

const slugOf = (...seed: (string | number)[]) =>
  `sample-${vary("network", "slug", ...seed).int("slug", 10_000, 99_999)}`;

function company(seed: string) {
  const v = vary("network", "company", seed);
  return {
    id: v.digits("id", 8),
    name: `Sample Works ${v.int("name", 1, 99)}`,
    url: `https://www.linkedin.com/company/${slugOf("company", seed)}/`,
  };
}

export function member(name: string) {
  const v = vary("network", "member", name);
  return {
    urn: `ACoAA${v.token("urn", 20)}`,
    public_identifier: name,
    first_name: "Jane",
    last_name: `Sample ${v.int("last", 1, 99)}`,
    full_name: `Jane Sample ${v.int("last", 1, 99)}`,
    headline: `${v.pick("role", roles)} at Sample Works`,
    about: `I am a made-up ${v.pick("role", roles)}.`,
    avatar: sizes(`avatar-${name}`),
    cover: sizes(`cover-${name}`),
    location: {
      country: "Sampleland",
      country_code: "XS",
      city: v.pick("city", cities),
      full: `${v.pick("city", cities)}, Sampleland`,
    },
    follower_count: v.int("followers", 10, 90_000),
    connection_count: "500+",
    is_premium: v.int("premium", 0, 1) === 1,
    is_open_to_work: v.int("open", 0, 1) === 1,
    is_hiring: v.int("hiring", 0, 1) === 1,
    is_creator: v.int("creator", 0, 1) === 1,
    is_influencer: v.int("influencer", 0, 1) === 1,
    is_top_voice: v.int("voice", 0, 1) === 1,
    current_company: company(`${name} now`),
    experiences: [
      {
        title: v.pick("role", roles),
        company: company(`${name} now`),
        location: v.pick("city", cities),
        start: { year: 2021, month: v.int("month", 1, 12) },
        is_current: true,
        description: "Made-up work.",
      },
      {
        title: v.pick("earlier", roles),
        company: company(`${name} before`),
        start: { year: 2015 },
        end: { year: 2020, month: 6 },
        is_current: false,
      },
    ],
    educations: [
      {
        school: { id: v.digits("school", 6), name: "Sample School" },
        degree: "BSc",
        field: "Sampling",
        start: { year: 2011, month: 9 },
        end: { year: 2014, month: 7 },
        description: "Made-up studies.",
      },
    ],
    skills: [{ name: "Sampling" }, { name: v.pick("skill", ["Writing", "Baking", "Maps"]) }],
    created: 1_300_000_000_000 + v.int("created", 0, 200_000_000) * 1000,
  };
}

export function firm(name: string) {
  const v = vary("network", "firm", name);
  const office = (n: number) => ({
    country: "Sampleland",
    country_code: "XS",
    city: v.pick(`city${n}`, cities),
    region: "Midlands",
    postal_code: v.digits(`code${n}`, 5),
    line1: `${v.int(`house${n}`, 1, 99)} Sample Street`,
    full: `Sample Street, ${v.pick(`city${n}`, cities)}`,
  });
  return {
    id: v.digits("id", 8),
    universal_name: name,
    name: `Sample Works ${v.int("name", 1, 99)}`,
    tagline: "Samples for all",
    description: `A made-up company no. ${v.int("number", 1, 999)}.`,
    website: `https://works-${v.int("site", 1, 99)}.example/`,
    industries: ["Software", "Food, drink and sampling"],
    specialities: ["Samples", "Tests"],
    company_type: v.pick("type", ["Privately Held", "Public Company"]),
    founded: v.int("founded", 1900, 2024),
    employee_count: v.int("employees", 1, 9000),
    employee_count_range: { start: 51, end: 200 },
    follower_count: v.int("followers", 10, 900_000),
    hq: office(0),
    locations: [office(1), office(2)],
    logo: sizes(`logo-${name}`),
    cover: picture(`cover-${name}`),
  };
}

interface Marks {
  id?: string;
  owner?: string;
  isCompany?: boolean;
  isFull?: boolean;
}

/** A post; `owner` wrote it. */
export function update(seed: string, index: number, marks: Marks = {}): Record<string, unknown> {
  const v = vary("network", "post", seed, index);
  const number = marks.id ?? `73${v.digits("id", 17)}`;
  const owner = marks.owner ?? slugOf("author", seed, index);
  const isFull = marks.isFull === true;
  return {
    id: number,
    text: `Sample post ${index + 1} on ${v.pick("role", roles)} work #sample`,
    url: `https://www.linkedin.com/feed/update/urn:li:activity:${number}/?sample=1`,
    // Half of the posts state their time only as "2mo".
    ...(index % 2 === 0
      ? { created_at: new Date(1_780_000_000_000 - index * 3_600_000).toISOString() }
      : { posted_at: "2mo" }),
    author: {
      id: `ACoAA${v.token("author", 12)}`,
      name: `Jane Sample ${v.int("name", 1, 99)}`,
      headline: v.pick("headline", roles),
      type: marks.isCompany === true ? "company" : "person",
      url: `https://www.linkedin.com/${marks.isCompany === true ? "company" : "in"}/${owner}/`,
      avatar: sizes(`author-${owner}`),
    },
    activity: {
      num_likes: v.int("likes", 0, 9000),
      num_comments: v.int("comments", 0, 900),
      num_shares: v.int("shares", 0, 90),
    },
    reactions: [
      { type: "LIKE", count: v.int("like", 0, 900) },
      { type: "PRAISE", count: v.int("praise", 0, 90) },
    ],
    ...(isFull || index % 4 === 0 ? { images: [picture(`post-${number}`)] } : {}),
    ...(isFull || index % 4 === 1 ? { video_url: `https://videos.example/${number}.mp4` } : {}),
    ...(isFull || index % 4 === 2
      ? { article: { title: `Sample article ${index}`, url: `https://blog.example/${number}` } }
      : {}),
    hashtags: index % 3 === 2 ? [] : ["#sample", v.pick("tag", ["work", "bread", "maps"])],
  };
}

export function remark(seed: string, index: number) {
  const v = vary("network", "comment", seed, index);
  const owner = slugOf("comment", seed, index);
  return {
    id: `73${v.digits("id", 17)}`,
    text: `Sample comment ${index + 1}`,
    ...(index % 2 === 0 ? { created_at: 1_780_000_000_000 - index * 60_000 } : { time: "3d" }),
    author: {
      id: `ACoAA${v.token("author", 12)}`,
      name: `John Sample ${v.int("name", 1, 99)}`,
      headline: v.pick("headline", roles),
      url: `https://www.linkedin.com/in/${owner}/`,
      avatar: picture(`comment-${owner}`),
    },
    ...(index % 3 === 1 ? { parent_id: `73${v.digits("parent", 17)}` } : {}),
    like_count: v.int("likes", 0, 900),
    reply_count: v.int("replies", 0, 9),
    url: `https://www.linkedin.com/feed/update/comment-${v.digits("id", 6)}`,
  };
}

export function opening(seed: string, index: number) {
  const v = vary("network", "job", seed, index);
  const number = v.digits("id", 10);
  return {
    id: number,
    title: `${v.pick("role", roles)} ${index + 1}`,
    company: company(seed),
    location: v.pick("city", cities),
    workplace_type: v.pick("place", ["On-site", "Remote", "Hybrid"]),
    employment_type: v.pick("type", ["Full-time", "Part-time"]),
    listed_at: new Date(1_780_000_000_000 - index * 86_400_000).toISOString(),
    url: `https://www.linkedin.com/jobs/view/${number}/?sample=1`,
  };
}
