import { expect, test } from "vitest";
import { app, podcast } from "../../../worker/areas/media/apple.map.ts";
import {
  artist,
  recordingFound,
  release,
  releaseDetails,
  releaseGroup,
} from "../../../worker/areas/media/musicbrainz.map.ts";
import { apple as appleSamples } from "../../../worker/areas/media/samples/apple.ts";
import { musicBrainz as bundled } from "../../../worker/areas/media/samples/musicbrainz.ts";
import type { SampleRequest } from "../../../worker/sandbox/sample.ts";
import { apple } from "../../../worker/upstreams/apple/client.ts";
import { musicBrainz } from "../../../worker/upstreams/musicbrainz/client.ts";
import { expectValues, issues } from "../input.ts";
import { play } from "../play.ts";

/** The query that a search sends. */
async function queryOf(id: string, input: Record<string, unknown>): Promise<unknown> {
  let sent: unknown;
  const capture = (name: string) => (request: SampleRequest) => {
    sent = request.query?.query;
    return { count: 0, offset: 0, [name]: [] };
  };
  const answers = {
    "GET /ws/2/artist": capture("artists"),
    "GET /ws/2/release": capture("releases"),
    "GET /ws/2/recording": capture("recordings"),
  };
  await play(id, input, { samples: [{ ...bundled, answers }] });
  return sent;
}

test("media surprise 1: words are taken literally", async () => {
  expect(await queryOf("media.artists.search", { q: "AC/DC" })).toBe("AC\\/DC");
  const wanted = { q: "Night (live)", artist: "Sunn O)))" };
  expect(await queryOf("media.releases.search", wanted)).toBe(
    '(Night \\(live\\)) AND artist:"Sunn O\\)\\)\\)"',
  );
  expect(await queryOf("media.recordings.search", { isrc: "gbaaa9700001" })).toBe(
    "isrc:GBAAA9700001",
  );
  expect(await queryOf("media.releases.search", { barcode: "4942463511227" })).toBe(
    "barcode:4942463511227",
  );
});

const id = "472bc127-8861-45e8-bc9e-31e8dd32de7a";

test("media surprise 2: kinds and states are in lower case", () => {
  const group = { id, title: "T", "primary-type": "EP", "secondary-types": ["Live", "Remix"] };
  expect(releaseGroup(group)).toEqual({
    id,
    title: "T",
    type: "ep",
    secondary_types: ["live", "remix"],
    artists: [],
  });
  expect(release({ id, title: "T", status: "Pseudo-Release" }).status).toBe("pseudo-release");
  expect(artist({ id, name: "A", type: "Person", gender: "Female" })).toMatchObject({
    type: "person",
    gender: "female",
  });
});

test("media surprise 3: a date ends where nothing more is known", () => {
  const born = (begin: string | null) =>
    artist({ id, name: "A", "life-span": { begin, end: null, ended: null } }).begin_date;
  expect(["1986-11-05", "1986-11", "1986", "1986-??-05", "????", null].map(born)).toEqual([
    "1986-11-05",
    "1986-11",
    "1986",
    "1986",
    undefined,
    undefined,
  ]);
});

test("media surprise 4: too many requests are repeated later", () => {
  const reply = (status: number) => ({ status, headers: {}, body: {} });
  const later = { type: "upstream_unavailable", retry: true };
  expect(musicBrainz.judge(reply(503))).toMatchObject(later);
  expect(apple.judge(reply(403))).toMatchObject(later);
  expect(musicBrainz.limits).toEqual({ perSecond: 1, burst: 1, simultaneous: 1 });
  expect(musicBrainz.contact?.required).toBe(true);
  const { perSecond = 0, burst = 0 } = apple.limits ?? {};
  expect(perSecond * 60 + burst).toBeLessThanOrEqual(20);
});

test("media surprise 12: a country without a store is the caller's", () => {
  const judged = (errorMessage: string) =>
    apple.judge({ status: 400, headers: {}, body: { errorMessage } });
  expect(judged("Invalid value(s) for key(s): [country]")).toMatchObject({
    type: "validation_error",
    field: "country",
  });
  expect(judged("Invalid value(s) for key(s): [term]")).toMatchObject({ type: "upstream_error" });
});

test("media surprise 5: a number of another kind is not found", async () => {
  const song = { wrapperType: "track", kind: "song", trackId: 7, trackName: "S" };
  const samples = [{ ...appleSamples, answers: { "GET /lookup": () => ({ results: [song] }) } }];
  for (const operation of ["media.apps.get", "media.podcasts.get"]) {
    const played = await play(operation, { id: "7" }, { samples });
    expect(played, operation).toMatchObject({ ok: false, type: "not_found" });
  }
});

const store = { trackId: 7, trackName: "Notes", trackViewUrl: "https://apps.example/id7" };

test("media surprise 6: an app without a price has none in the record", () => {
  expect(app({ ...store, price: -1 })).not.toHaveProperty("price");
  const free = app({ ...store, price: 0, averageUserRating: 0, userRatingCount: 0 });
  expect(free).toMatchObject({ id: "7", price: 0, rating: 0, rating_count: 0 });
  // As the store writes it; the rest are digits of the binary fraction.
  expect(app({ ...store, averageUserRating: 4.833330000000000126 }).rating).toBe(4.83333);
});

test("media surprise 7: the directory is not a category of its own", () => {
  const row = { collectionId: 9, collectionName: "Hour", genres: ["Nature", "Podcasts"] };
  expect(podcast({ ...row, collectionExplicitness: "cleaned" })).toEqual({
    id: "9",
    title: "Hour",
    categories: ["Nature"],
    is_explicit: false,
  });
});

test("media surprise 8: tracks stand on their media, and are counted", () => {
  const track = { position: 1, number: "1", title: "One", length: null, recording: { id } };
  const medium = (position: number) => ({
    position,
    format: "CD",
    "track-count": 1,
    tracks: [track],
  });
  const details = releaseDetails({ id, title: "T", media: [medium(1), medium(2)] });
  expect(details).toMatchObject({ formats: ["CD", "CD"], track_count: 2 });
  expect(details.tracks.map((one) => one.medium_position)).toEqual([1, 2]);
  expect(details.tracks[0]).not.toHaveProperty("duration_ms");
  const found = release({ id, title: "T", "track-count": 9, media: [{ format: "CD" }] });
  expect(found.track_count).toBe(9);
});

test("links that have ended are left out, and codes are taken in both forms", () => {
  const url = { resource: "https://a.example/" };
  const relations = [
    { type: "official homepage", ended: true, url },
    { type: "streaming", ended: false, url },
    { type: "member of band", artist: { id } },
  ];
  expect(artist({ id, name: "A", relations }).links).toEqual([
    { type: "streaming", url: "https://a.example/" },
  ]);
  expect(recordingFound({ id, title: "T", isrcs: ["A", { id: "B" }] }).isrcs).toEqual(["A", "B"]);
});

test("a search needs words or a code, and ids are UUIDs and numbers", async () => {
  const bare = await play("media.recordings.search", { artist: "Ada" });
  expect(bare).toMatchObject({ ok: false, type: "validation_error" });
  expectValues("media.artists.get", "id", [id, id.toUpperCase()], ["472bc127", `${id}0`]);
  expect(issues("media.apps.get", { id: "x" })).toEqual(["id"]);
  expect(issues("media.apps.search", { q: "x", country: "usa" })).toEqual(["country"]);
});
