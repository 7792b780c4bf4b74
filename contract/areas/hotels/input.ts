import * as z from "zod";

export const mostNights = 30;
const mostGuests = 6;
const dayMs = 86_400_000;

export const coordinate = z
  .strictObject({
    latitude: z.number().min(-90).max(90),
    longitude: z.number().min(-180).max(180),
  })
  .describe("Point of the search, in place of `location`");

interface Stay {
  check_in?: string | undefined;
  check_out?: string | undefined;
  adults?: number | undefined;
  children?: number[] | undefined;
  min_price?: number | undefined;
  max_price?: number | undefined;
}

const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);

/** First and last day of a stay; the night after `now` by default. */
export function stayOf(stay: Stay, now: number): { check_in: string; check_out: string } {
  const checkIn = stay.check_in ?? dayOf(now + dayMs);
  return { check_in: checkIn, check_out: stay.check_out ?? dayOf(Date.parse(checkIn) + dayMs) };
}

/** Input about a stay, with the rules that hold between its fields. */
export function stayInput<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.strictObject(shape).superRefine((input, context) => {
    for (const [path, message] of faultsOf(input as Stay, Date.now())) {
      context.addIssue({ code: "custom", path: [path], message });
    }
  });
}

function faultsOf(input: Stay, now: number): [string, string][] {
  const faults: [string, string][] = [];
  const days = [input.check_in, input.check_out].filter((day) => day !== undefined);
  // An invalid date is already refused and is not compared.
  if (days.some((day) => Number.isNaN(Date.parse(day)))) return faults;
  const { check_in, check_out } = stayOf(input, now);
  const nights = (Date.parse(check_out) - Date.parse(check_in)) / dayMs;
  // It is still yesterday somewhere.
  if (input.check_in !== undefined && input.check_in < dayOf(now - dayMs)) {
    faults.push(["check_in", "must not be in the past"]);
  }
  if (nights < 1) faults.push(["check_out", "must be after check_in"]);
  if (nights > mostNights) {
    faults.push(["check_out", `must be at most ${mostNights} nights after check_in`]);
  }
  if ((input.adults ?? 0) + (input.children?.length ?? 0) > mostGuests) {
    faults.push(["children", `must be at most ${mostGuests} guests together with adults`]);
  }
  const { min_price: least, max_price: most } = input;
  if (least !== undefined && most !== undefined && least > most) {
    faults.push(["max_price", "must not be below min_price"]);
  }
  return faults;
}
