import { live } from "../../../sandbox/dataforseo-live.ts";
import { type Element, searchPage } from "../../../sandbox/dataforseo-search-page.ts";
import { moment, site, words } from "../../../sandbox/figures.ts";
import { type Vary, vary } from "../../../sandbox/vary.ts";

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
    // A copy on the vendor's own host; the address contains the id of the task.
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

/** Sample answers, written for this project. */
export const news = live("/v3/serp/google/news/live/advanced", (task, request) =>
  searchPage("news", task, request, article, { includes_non_news_search_results: !request.empty }),
);
