import { text } from "#wire";

const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
/** Times without a zone are China's. */
const chinaMs = 8 * 3600_000;
const dayMs = 24 * 3600_000;

/** Unix seconds of "Thu Jun 17 16:00:11 +0800 2021" or of a time relative to `now` (milliseconds). */
export function timeOf(value: unknown, now: number): number | undefined {
  const written = text(value)?.trim();
  if (written === undefined) return undefined;
  const milliseconds = full(written) ?? relative(written, now) ?? dated(written, now);
  return milliseconds === undefined || !Number.isFinite(milliseconds)
    ? undefined
    : Math.floor(milliseconds / 1000);
}

function full(written: string): number | undefined {
  const found =
    /^[A-Z][a-z]{2} ([A-Z][a-z]{2}) (\d{1,2}) (\d{2}):(\d{2}):(\d{2}) ([+-])(\d{2})(\d{2}) (\d{4})$/.exec(
      written,
    );
  const month = months.indexOf(found?.[1] ?? "");
  if (!found || month < 0) return undefined;
  const [day, hour, minute, second, , east, eastMinutes, year] = found.slice(2).map(Number);
  const offset = ((east ?? 0) * 60 + (eastMinutes ?? 0)) * 60_000 * (found[6] === "-" ? -1 : 1);
  return Date.UTC(year ?? 0, month, day, hour, minute, second) - offset;
}

function relative(written: string, now: number): number | undefined {
  if (written === "刚刚") return now;
  const ago = /^(\d{1,3})(秒|分钟|小时)前$/.exec(written);
  if (ago) {
    const unit = { 秒: 1000, 分钟: 60_000, 小时: 3600_000 }[ago[2] as "秒" | "分钟" | "小时"];
    return now - Number(ago[1]) * unit;
  }
  const day = /^(今天|昨天) (\d{1,2}):(\d{2})$/.exec(written);
  if (!day) return undefined;
  const midnight = Math.floor((now + chinaMs) / dayMs) * dayMs - chinaMs;
  const start = day[1] === "今天" ? midnight : midnight - dayMs;
  return start + Number(day[2]) * 3600_000 + Number(day[3]) * 60_000;
}

/** "06-27" in this year, or in the last one where that day is still to come; or "2020-06-27". */
function dated(written: string, now: number): number | undefined {
  const found = /^(?:(\d{4})-)?(\d{1,2})-(\d{1,2})$/.exec(written);
  if (!found) return undefined;
  const at = (year: number) => Date.UTC(year, Number(found[2]) - 1, Number(found[3])) - chinaMs;
  if (found[1] !== undefined) return at(Number(found[1]));
  const year = new Date(now + chinaMs).getUTCFullYear();
  return at(year) > now ? at(year - 1) : at(year);
}
