import type { SampleRequest, Samples } from "../../../sandbox/sample.ts";
import { words } from "../../../sandbox/figures.ts";
import { slice, vary } from "../../../sandbox/vary.ts";

const listed = { usual: 130, long: 400 };

const page = (request: SampleRequest) => ({
  total: request.empty ? 0 : request.secondPage ? listed.long : listed.usual,
  offset: Number(request.query?.offset),
  count: Number(request.query?.limit),
});

/** A UUID that is always the same for the same seed. */
function uuid(...seed: (string | number)[]): string {
  const v = vary("musicbrainz", ...seed);
  const digits = (name: string, length: number) => v.digits(name, length);
  return `${digits("a", 8)}-${digits("b", 4)}-4${digits("c", 3)}-8${digits("d", 3)}-${digits("e", 12)}`;
}

const credit = (seed: string) => [
  {
    name: `The ${vary("musicbrainz", "credit", seed).pick("name", words)} trio`,
    joinphrase: " feat. ",
    artist: { id: uuid("artist", seed), name: "Sample trio", "sort-name": "Sample trio" },
  },
  { name: "Ada", joinphrase: "", artist: { id: uuid("ada"), name: "Ada Sample" } },
];

function artist(id: string) {
  const v = vary("musicbrainz", "artist", id);
  const name = `${v.pick("name", words)} trio`;
  return {
    id,
    type: "Group",
    "type-id": "e431f5f6-b5d2-343d-8b36-72607fffb74b",
    name,
    "sort-name": `trio, ${name}`,
    gender: "Not applicable",
    country: "DE",
    area: { id: uuid("area"), name: "Germany", "sort-name": "Germany" },
    "begin-area": { id: uuid("begin"), name: "Berlin", "sort-name": "Berlin" },
    disambiguation: `from ${v.pick("place", words)}`,
    isnis: ["0000000121707484"],
    "life-span": { begin: `${v.int("begin", 1950, 1990)}-05`, end: "2011-01-02", ended: true },
    aliases: [{ name: `${name} band`, "sort-name": name, locale: null, type: null }],
    tags: [{ count: 3, name: "jazz" }],
  };
}

const releaseGroup = (seed: string) => {
  const v = vary("musicbrainz", "group", seed);
  return {
    id: uuid("group", seed),
    title: `${v.pick("title", words)} songs`,
    "primary-type": "Album",
    "primary-type-id": "f529b476-6e62-324f-b0aa-1f3e33d313fc",
    "secondary-types": ["Live"],
    disambiguation: "second mix",
    "first-release-date": `${v.int("year", 1960, 2020)}-03-02`,
    "artist-credit": credit(seed),
  };
};

function release(id: string) {
  const v = vary("musicbrainz", "release", id);
  return {
    id,
    title: `${v.pick("title", words)} songs`,
    status: "Official",
    disambiguation: "remaster",
    packaging: "Jewel Case",
    "text-representation": { language: "eng", script: "Latn" },
    "artist-credit": credit(id),
    "release-group": { id: uuid("group", id), title: "songs", "primary-type": "Album" },
    date: `${v.int("year", 1960, 2020)}-03-02`,
    country: "GB",
    barcode: v.digits("barcode", 13),
    "label-info": [
      {
        "catalog-number": `SR ${v.digits("number", 4)}`,
        label: { id: uuid("label"), name: "Sample Records" },
      },
    ],
    media: [
      { position: 1, format: "CD", "track-count": v.int("tracks", 8, 14) },
      { position: 2, format: "CD", "track-count": v.int("more", 8, 14) },
    ],
  };
}

function tracks(id: string, medium: number) {
  return Array.from({ length: 3 }, (_, index) => {
    const v = vary("musicbrainz", "track", id, medium, index);
    return {
      id: uuid("track", id, medium, index),
      position: index + 1,
      number: `A${index + 1}`,
      title: `${v.pick("title", words)} song`,
      length: v.int("length", 90_000, 400_000),
      recording: { id: uuid("recording", id, medium, index), title: "song", video: false },
      "artist-credit": credit(`${id} ${index}`),
    };
  });
}

function recording(id: string) {
  const v = vary("musicbrainz", "recording", id);
  return {
    id,
    title: `${v.pick("title", words)} song`,
    length: v.int("length", 90_000, 400_000),
    disambiguation: "live",
    video: v.int("video", 0, 4) === 0,
    "artist-credit": credit(id),
    "first-release-date": `${v.int("year", 1960, 2020)}-03-02`,
    isrcs: [`GBAAA${v.digits("isrc", 7)}`],
    releases: [
      {
        id: uuid("release", id),
        title: `${v.pick("release", words)} songs`,
        status: "Official",
        date: `${v.int("released", 1960, 2020)}-03-02`,
        country: "GB",
      },
    ],
  };
}

function search(request: SampleRequest, name: string, make: (id: string) => object) {
  const { total, offset, count } = page(request);
  const seed = String(request.query?.query);
  return {
    created: "2026-05-04T10:11:12.123Z",
    count: total,
    offset,
    [name]: slice({ total, offset, count }, (index) => ({
      ...make(uuid(name, seed, index)),
      score: Math.max(1, 100 - index),
    })),
  };
}

/** Sample answers of MusicBrainz, written for this project. */
export const musicBrainz: Samples = {
  upstream: "musicbrainz",
  answers: {
    "GET /ws/2/artist": (request) => search(request, "artists", artist),
    "GET /ws/2/artist/{id}": ({ parts }) => ({
      ...artist(parts.id as string),
      relations: [
        {
          type: "official homepage",
          direction: "forward",
          ended: false,
          url: { id: uuid("url"), resource: `https://music.example/${parts.id}` },
        },
      ],
    }),
    "GET /ws/2/release-group": (request) => {
      const { total, offset, count } = page(request);
      const seed = String(request.query?.artist);
      return {
        "release-group-count": total,
        "release-group-offset": offset,
        "release-groups": slice({ total, offset, count }, (index) =>
          releaseGroup(`${seed} ${index}`),
        ),
      };
    },
    "GET /ws/2/release": (request) => {
      const group = request.query?.["release-group"];
      if (group === undefined) {
        return search(request, "releases", (id) => ({ ...release(id), "track-count": 21 }));
      }
      const { total, offset, count } = page(request);
      return {
        "release-count": total,
        "release-offset": offset,
        releases: slice({ total, offset, count }, (index) =>
          release(uuid("release", String(group), index)),
        ),
      };
    },
    "GET /ws/2/release/{id}": ({ parts }) => {
      const id = parts.id as string;
      const whole = release(id);
      return {
        ...whole,
        "cover-art-archive": { artwork: true, count: 1, front: true, back: false, darkened: false },
        media: whole.media.map((medium) => ({ ...medium, tracks: tracks(id, medium.position) })),
      };
    },
    "GET /ws/2/recording": (request) => search(request, "recordings", recording),
    "GET /ws/2/recording/{id}": ({ parts }) => recording(parts.id as string),
  },
  faults: {
    not_found: { status: 404, body: { error: "Not Found", help: "https://musicbrainz.example" } },
    upstream_error: { status: 400, body: { error: "Invalid mbid.", help: "" } },
    upstream_unavailable: { status: 503, body: { error: "Sample fault" } },
  },
};
