/** Recorded answers on which the mapping of an operation was tried, as public repositories keep them. */
export interface Recording {
  /** Repository with the recording. */
  address: string;
  /** When it was recorded. */
  date: string;
  /** `upstream`: its whole answer. `platform`: the platform's own answer, which the upstream passes on in its envelope. */
  of: "upstream" | "platform";
}

const repositories = {
  nonebot: "https://github.com/MountainDash/nonebot-bison",
  ideasseek: "https://github.com/alingowangxr/ideasseek-ai",
  biliTimer: "https://github.com/U1iz/web3",
  nodeExample: "https://github.com/xlzy520/node-example",
  praw: "https://github.com/praw-dev/praw",
  feed: "https://github.com/pgrimaud/instagram-user-feed",
  clone: "https://github.com/YassMaldini/instagram-clone",
  tiktokData: "https://github.com/VideoData/TiKTok-data",
  threadsPipeline: "https://github.com/azuma520/threads-pipeline",
  newPipe: "https://github.com/TeamNewPipe/NewPipeExtractor",
  auditTool: "https://github.com/vishnut2003/seo_audit_tool",
  phpSdk: "https://github.com/marketingtoolbox/dataforseo-php-sdk",
  testProject: "https://github.com/april9288/testproject",
  octokit: "https://github.com/octokit/fixtures",
  goGitlab: "https://github.com/xanzy/go-gitlab",
  atproto: "https://github.com/bluesky-social/atproto",
  mastodonDocs: "https://github.com/mastodon/documentation",
  orderQuestions: "https://github.com/ShaunGerardAlberts/OrderQuestions",
  reputationBuilder: "https://github.com/Jwhiles/Reputation-Builder",
  internetArchive: "https://github.com/jjjake/internetarchive",
  edgiWayback: "https://github.com/edgi-govdata-archiving/wayback",
  tuned: "https://github.com/in-c0/tuned",
};

const kept = (
  repository: keyof typeof repositories,
  of: Recording["of"],
  date: string,
  count = 1,
): Recording[] =>
  Array.from({ length: count }, () => ({ address: repositories[repository], date, of }));

/** Operation id -> its recordings. */
export const recordings: Readonly<Record<string, readonly Recording[]>> = {
  "archive.captures.list": kept("edgiWayback", "upstream", "2022-10-26", 3),
  "archive.items.get": kept("internetArchive", "upstream", "2015"),
  "archive.items.search": kept("internetArchive", "upstream", "2015-12"),
  "cnblog.users.get": kept("nonebot", "platform", "2025"),
  "cnvideo.search": kept("ideasseek", "upstream", "2026-02-05"),
  "cnvideo.users.dynamic": [
    ...kept("nonebot", "platform", "2024"),
    ...kept("nonebot", "platform", "2025"),
  ],
  "cnvideo.users.videos": kept("nodeExample", "platform", "2021"),
  "cnvideo.videos.get": kept("biliTimer", "platform", "2023"),
  "code.contents": kept("octokit", "upstream", "2017 to 2022"),
  "code.issues.list": kept("octokit", "upstream", "2017 to 2022", 3),
  "code.organizations.get": kept("octokit", "upstream", "2017 to 2022"),
  "code.releases": kept("octokit", "upstream", "2017 to 2022"),
  "code.repositories.get": kept("octokit", "upstream", "2017 to 2022", 2),
  "code.users.get": kept("goGitlab", "upstream", "2019-10"),
  "events.search": kept("testProject", "upstream", "2019"),
  "forum.communities.get": kept("praw", "upstream", "2023-10"),
  "forum.communities.posts": kept("praw", "upstream", "2016"),
  "forum.communities.rules": kept("praw", "upstream", "2020-04-27"),
  "forum.posts.comments": [
    ...kept("praw", "upstream", "2016"),
    ...kept("praw", "upstream", "2022-04"),
  ],
  "forum.posts.get": kept("praw", "upstream", "2022-05"),
  "forum.search": kept("praw", "upstream", "2016"),
  "forum.search.communities": kept("praw", "upstream", "2016-07-12"),
  "forum.users.comments": kept("praw", "upstream", "2016"),
  "forum.users.get": kept("praw", "upstream", "2025-05-21"),
  "forum.users.posts": kept("praw", "upstream", "2016"),
  "forum.users.trophies": kept("praw", "upstream", "2018-09-15"),
  "news_aggregator.items.get": kept("tuned", "upstream", "2026-08"),
  "open_social.feed": kept("mastodonDocs", "upstream", "2019"),
  "open_social.hashtags.posts": kept("mastodonDocs", "upstream", "2019"),
  "open_social.instance": kept("mastodonDocs", "upstream", "2025-07"),
  "open_social.posts.get": [
    ...kept("atproto", "upstream", "2026-07", 10),
    ...kept("mastodonDocs", "upstream", "2019", 2),
  ],
  "open_social.posts.thread": kept("atproto", "upstream", "2026-07", 9),
  "open_social.search.users": [
    ...kept("atproto", "upstream", "2026-07"),
    ...kept("mastodonDocs", "upstream", "2017 to 2022"),
  ],
  "open_social.trends.links": kept("mastodonDocs", "upstream", "2022"),
  "open_social.trends.topics": kept("mastodonDocs", "upstream", "2019"),
  "open_social.users.followers": [
    ...kept("atproto", "upstream", "2026-07", 3),
    ...kept("mastodonDocs", "upstream", "2017 to 2022"),
  ],
  "open_social.users.following": kept("atproto", "upstream", "2026-07", 3),
  "open_social.users.get": [
    ...kept("atproto", "upstream", "2026-07", 7),
    ...kept("mastodonDocs", "upstream", "2019", 3),
  ],
  "open_social.users.posts": [
    ...kept("atproto", "upstream", "2026-07", 10),
    ...kept("mastodonDocs", "upstream", "2022"),
  ],
  "photosite.explore.section_posts": kept("clone", "platform", "2022-10"),
  "photosite.hashtags.posts": kept("feed", "platform", "2020 to 2022"),
  "photosite.locations.posts": kept("feed", "platform", "2020 to 2022"),
  "photosite.posts.comments": [
    ...kept("feed", "platform", "2020 to 2022"),
    ...kept("clone", "platform", "2022-10"),
  ],
  "photosite.posts.get": kept("feed", "platform", "2020 to 2022", 2),
  "photosite.users.followers": kept("feed", "platform", "2020 to 2022"),
  "photosite.users.get": kept("feed", "platform", "2020 to 2022", 2),
  "photosite.users.highlights": kept("feed", "platform", "2020 to 2022"),
  "photosite.users.posts": kept("feed", "platform", "2020 to 2022"),
  "photosite.users.reels": kept("feed", "platform", "2020 to 2022"),
  "photosite.users.stories": kept("feed", "platform", "2020 to 2022"),
  "photosite.users.tagged_posts": kept("feed", "platform", "2020 to 2022"),
  "questions.search": [
    ...kept("orderQuestions", "upstream", "2018-07"),
    ...kept("reputationBuilder", "upstream", "2016-10-30"),
  ],
  "seo.backlinks.list": kept("phpSdk", "upstream", "2024-03"),
  "seo.backlinks.summary": kept("auditTool", "upstream", "2023-09"),
  "seo.competitors.ranked_keywords": kept("auditTool", "upstream", "2024-08"),
  "shortclip.comments.replies": kept("tiktokData", "platform", "2021"),
  "shortclip.hashtags.get": kept("tiktokData", "platform", "2021"),
  "shortclip.music.get": kept("tiktokData", "platform", "2021"),
  "shortclip.search": [
    ...kept("tiktokData", "platform", "2021"),
    ...kept("ideasseek", "upstream", "2026-02-05"),
  ],
  "shortclip.search.music": kept("tiktokData", "platform", "2021"),
  "shortclip.search.users": kept("tiktokData", "platform", "2021"),
  "shortclip.users.videos": kept("tiktokData", "platform", "2021"),
  "shortclip.videos.comments": [
    ...kept("tiktokData", "platform", "2021"),
    ...kept("ideasseek", "upstream", "2026-02-05"),
  ],
  "shortclip.videos.get": kept("tiktokData", "platform", "2020"),
  "threads.posts.replies": kept("threadsPipeline", "platform", "2026-04"),
  "videosite.channels.get": kept("newPipe", "upstream", "2026-07", 3),
  "videosite.channels.playlists": kept("newPipe", "upstream", "2026"),
  "videosite.channels.shorts": kept("newPipe", "upstream", "2026"),
  "videosite.channels.videos": kept("newPipe", "upstream", "2026-07", 3),
  "videosite.playlists.get": kept("newPipe", "upstream", "2026"),
  "videosite.playlists.videos": kept("newPipe", "upstream", "2026"),
  "videosite.resolve.channel_id": kept("newPipe", "upstream", "2026"),
  "videosite.search": kept("newPipe", "upstream", "2026-07", 2),
  "videosite.search.channels": kept("newPipe", "upstream", "2026"),
  "videosite.search.playlists": kept("newPipe", "upstream", "2026"),
  "videosite.trending": kept("newPipe", "upstream", "2026"),
  "videosite.videos.captions": kept("newPipe", "upstream", "2026"),
  "videosite.videos.comments": kept("newPipe", "upstream", "2026-07", 2),
  "videosite.videos.get": kept("newPipe", "upstream", "2026-07", 2),
  "videosite.videos.related": kept("newPipe", "upstream", "2026"),
};
