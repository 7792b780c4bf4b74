import type {
  MediaArtist,
  MediaArtistFound,
  MediaRecording,
  MediaRecordingFound,
  MediaRelease,
  MediaReleaseDetails,
  MediaReleaseFound,
  MediaReleaseGroup,
} from "../../../contract/areas/media/records.ts";
import { type Wire, at, boolean, count, defined, each, integer, need, object, text } from "#wire";

/** Kinds and states are written with capitals: `Album`, `Official`. */
const word = (value: unknown) => text(value)?.toLowerCase();

/** Dates may end early (`1997-05`); an unknown part in the middle is `??` and ends them as well. */
const date = (value: unknown) => /^\d{4}(-\d\d(-\d\d)?)?/.exec(text(value) ?? "")?.[0];

const credits = (value: unknown) =>
  each(value, (entry) => {
    const name = text(at(entry, "name")) ?? text(at(entry, "artist", "name"));
    return name === undefined ? undefined : defined({ id: text(at(entry, "artist", "id")), name });
  });

const score = (row: Wire) => count(row.score);

function artistFields(row: Wire) {
  const life = row["life-span"];
  return {
    id: need(text(row.id), "artist.id"),
    name: need(text(row.name), "artist.name"),
    sort_name: text(row["sort-name"]),
    type: word(row.type),
    disambiguation: text(row.disambiguation),
    gender: word(row.gender),
    country_code: text(row.country),
    area: text(at(row.area, "name")),
    begin_area: text(at(row["begin-area"], "name")),
    begin_date: date(at(life, "begin")),
    end_date: date(at(life, "end")),
    has_ended: boolean(at(life, "ended")),
    isnis: each(row.isnis, text),
    aliases: each(row.aliases, (alias) => text(at(alias, "name"))),
  };
}

export const artistFound = (row: Wire): MediaArtistFound =>
  defined({ ...artistFields(row), score: score(row) });

export const artist = (row: Wire): MediaArtist =>
  defined({
    ...artistFields(row),
    links: each(row.relations, (relation) => {
      const [type, url] = [text(at(relation, "type")), text(at(relation, "url", "resource"))];
      // Pages that a person or band has left stay on record.
      if (at(relation, "ended") === true) return undefined;
      return type === undefined || url === undefined ? undefined : { type, url };
    }),
  });

export const releaseGroup = (row: Wire): MediaReleaseGroup =>
  defined({
    id: need(text(row.id), "release-group.id"),
    title: need(text(row.title), "release-group.title"),
    type: word(row["primary-type"]),
    secondary_types: each(row["secondary-types"], word),
    disambiguation: text(row.disambiguation),
    first_release_date: date(row["first-release-date"]),
    artists: credits(row["artist-credit"]),
  });

function releaseFields(row: Wire) {
  const media = each(row.media, object);
  const tracks = media.map((medium) => count(medium["track-count"]));
  const known = tracks.length > 0 && tracks.every((one) => one !== undefined);
  return {
    id: need(text(row.id), "release.id"),
    title: need(text(row.title), "release.title"),
    status: word(row.status),
    disambiguation: text(row.disambiguation),
    artists: credits(row["artist-credit"]),
    release_group_id: text(at(row["release-group"], "id")),
    type: word(at(row["release-group"], "primary-type")),
    release_date: date(row.date),
    country_code: text(row.country),
    language_code: text(at(row["text-representation"], "language")),
    barcode: text(row.barcode),
    packaging: text(row.packaging),
    labels: each(row["label-info"], (info) => {
      const label = {
        name: text(at(info, "label", "name")),
        catalog_number: text(at(info, "catalog-number")),
      };
      return Object.values(label).some(Boolean) ? defined(label) : undefined;
    }),
    formats: media.map((medium) => text(medium.format)).filter((one) => one !== undefined),
    track_count:
      count(row["track-count"]) ??
      (known ? tracks.reduce<number>((sum, one) => sum + (one ?? 0), 0) : undefined),
  };
}

export const release = (row: Wire): MediaRelease => defined(releaseFields(row));

export const releaseFound = (row: Wire): MediaReleaseFound =>
  defined({ ...releaseFields(row), score: score(row) });

export function releaseDetails(row: Wire): MediaReleaseDetails {
  const fields = releaseFields(row);
  const hasFront = at(row["cover-art-archive"], "front") === true;
  return defined({
    ...fields,
    cover_image_url: hasFront
      ? `https://coverartarchive.org/release/${fields.id}/front`
      : undefined,
    tracks: each(row.media, object).flatMap((medium) =>
      each(medium.tracks, object).map((track) =>
        defined({
          medium_position: integer(medium.position),
          position: integer(track.position),
          number: text(track.number),
          title: need(text(track.title) ?? text(at(track.recording, "title")), "track.title"),
          duration_ms: count(track.length),
          recording_id: text(at(track.recording, "id")),
          artists: credits(track["artist-credit"]),
        }),
      ),
    ),
  });
}

function recordingFields(row: Wire) {
  return {
    id: need(text(row.id), "recording.id"),
    title: need(text(row.title), "recording.title"),
    disambiguation: text(row.disambiguation),
    artists: credits(row["artist-credit"]),
    duration_ms: count(row.length),
    is_video: boolean(row.video),
    first_release_date: date(row["first-release-date"]),
    isrcs: each(row.isrcs, (isrc) => text(isrc) ?? text(at(isrc, "id"))),
    releases: each(row.releases, (one) => {
      const [id, title] = [text(at(one, "id")), text(at(one, "title"))];
      return id === undefined || title === undefined
        ? undefined
        : defined({
            id,
            title,
            status: word(at(one, "status")),
            release_date: date(at(one, "date")),
            country_code: text(at(one, "country")),
          });
    }),
  };
}

export const recording = (row: Wire): MediaRecording => defined(recordingFields(row));

export const recordingFound = (row: Wire): MediaRecordingFound =>
  defined({ ...recordingFields(row), score: score(row) });
