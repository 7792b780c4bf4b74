import { browseTo, content, type Person, pictures, simple } from "./nodes.ts";

/** Pages of the video site around lists of nodes. */

export const continuation = (token: string) => ({
  continuationItemRenderer: {
    trigger: "CONTINUATION_TRIGGER_ON_ITEM_SHOWN",
    continuationEndpoint: { continuationCommand: { token } },
  },
});

/** The button form of a continuation ("Show more replies"). */
export const moreButton = (token: string) => ({
  continuationItemRenderer: {
    button: {
      buttonRenderer: {
        text: simple("Show more replies"),
        command: { continuationCommand: { token } },
      },
    },
  },
});

export type Actions =
  | "onResponseReceivedActions"
  | "onResponseReceivedCommands"
  | "onResponseReceivedEndpoints";

export const appended = (key: Actions, continuationItems: unknown[]) => ({
  [key]: [{ appendContinuationItemsAction: { continuationItems, targetId: "sample" } }],
});

/** A header with the About panel's continuation, which precedes the continuations of the body. */
const panel = (token: string) => ({
  innertubeCommand: {
    showEngagementPanelEndpoint: {
      engagementPanel: {
        engagementPanelSectionListRenderer: {
          content: {
            sectionListRenderer: {
              contents: [{ itemSectionRenderer: { contents: [continuation(token)] } }],
            },
          },
        },
      },
    },
  },
});

const rows = (...all: string[][]) => ({
  contentMetadataViewModel: {
    metadataRows: all.map((parts) => ({
      metadataParts: parts.map((part) => ({ text: content(part) })),
    })),
  },
});

export function channelPage(who: Person, tab: string, inside: unknown, aboutToken: string) {
  const tabs = ["featured", "videos", "shorts", "playlists", "posts", "search"].map((name) => {
    const kind = name === "search" ? "expandableTabRenderer" : "tabRenderer";
    const selected = name === tab;
    const endpoint = {
      commandMetadata: { webCommandMetadata: { url: `/@${who.handle}/${name}` } },
      browseEndpoint: { browseId: who.id },
    };
    return {
      [kind]: { title: name, endpoint, selected, ...(selected ? { content: inside } : {}) },
    };
  });
  return {
    header: {
      pageHeaderRenderer: {
        pageTitle: who.name,
        content: {
          pageHeaderViewModel: {
            title: {
              dynamicTextViewModel: {
                text: content(who.name),
                rendererContext: { accessibilityContext: { label: `${who.name}, verified` } },
              },
            },
            image: {
              decoratedAvatarViewModel: {
                avatar: { avatarViewModel: { image: { sources: pictures(who.handle) } } },
              },
            },
            metadata: rows([`@${who.handle}`], ["25.4K subscribers", "337 videos"]),
            description: {
              descriptionPreviewViewModel: {
                description: content("Wood and what becomes of it"),
                rendererContext: { commandContext: { onTap: panel(aboutToken) } },
              },
            },
            banner: {
              imageBannerViewModel: { image: { sources: pictures(`banner-${who.handle}`) } },
            },
          },
        },
      },
    },
    metadata: {
      channelMetadataRenderer: {
        title: who.name,
        description: "Wood and what becomes of it.\nA sample.",
        externalId: who.id,
        keywords: 'wood "hand tools" sample',
        avatar: { thumbnails: pictures(who.handle) },
        vanityChannelUrl: `http://www.youtube.com/@${who.handle}`,
        isFamilySafe: true,
      },
    },
    contents: { twoColumnBrowseResultsRenderer: { tabs } },
  };
}

export function aboutPanel(who: Person) {
  return {
    aboutChannelRenderer: {
      metadata: {
        aboutChannelViewModel: {
          channelId: who.id,
          canonicalChannelUrl: `http://www.youtube.com/@${who.handle}`,
          description: "Wood and what becomes of it.\nA sample.",
          country: "Norway",
          subscriberCountText: "25.4K subscribers",
          viewCountText: "12,345,678 views",
          videoCountText: "337 videos",
          joinedDateText: content("Joined Sep 9, 2013"),
          links: [
            {
              channelExternalLinkViewModel: {
                title: content("Shop"),
                link: content("shop.example/tools"),
              },
            },
            {
              channelExternalLinkViewModel: {
                title: content("Letters"),
                link: content("letters.example"),
              },
            },
          ],
        },
      },
    },
  };
}

export const chips = (tokens: Record<string, string>) => ({
  chipBarViewModel: {
    chips: Object.entries(tokens).map(([text, token], index) => ({
      chipViewModel: {
        text,
        selected: index === 0,
        tapCommand: { innertubeCommand: { continuationCommand: { token } } },
      },
    })),
  },
});

export function playlistHeader(id: string, who: Person, videos: number) {
  return {
    header: {
      pageHeaderRenderer: {
        pageTitle: "Sample playlist",
        content: {
          pageHeaderViewModel: {
            title: { dynamicTextViewModel: { text: content(`Sample playlist ${id.slice(-4)}`) } },
            metadata: {
              contentMetadataViewModel: {
                metadataRows: [
                  {
                    metadataParts: [
                      {
                        avatarStack: {
                          avatarStackViewModel: {
                            avatars: [
                              { avatarViewModel: { image: { sources: pictures(who.handle) } } },
                            ],
                            text: {
                              content: `by ${who.name}`,
                              commandRuns: [{ onTap: { innertubeCommand: browseTo(who) } }],
                            },
                          },
                        },
                      },
                    ],
                  },
                  {
                    metadataParts: [
                      { text: content("Playlist") },
                      { text: content(`${videos} videos`) },
                      { text: content("32,026 views") },
                      { text: content("Last updated on Aug 5, 2026") },
                    ],
                  },
                ],
              },
            },
            description: {
              descriptionPreviewViewModel: { description: content("From the first cut on") },
            },
            heroImage: { contentPreviewImageViewModel: { image: { sources: pictures(id) } } },
          },
        },
      },
    },
    microformat: { microformatDataRenderer: { title: `Sample playlist ${id.slice(-4)}` } },
  };
}

export const oneTab = (inside: unknown) => ({
  contents: {
    twoColumnBrowseResultsRenderer: {
      tabs: [{ tabRenderer: { selected: true, content: inside } }],
    },
  },
});

export const section = (contents: unknown[]) => ({ itemSectionRenderer: { contents } });
