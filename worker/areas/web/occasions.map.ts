import { postalAddressOf, pricesOf, ratingOf } from "./commerce.map.ts";
import type { Extracted, Placed } from "./placed.map.ts";
import type { Value } from "./things.map.ts";
import {
  addressesOf,
  addressOf,
  memberOf,
  momentOf,
  nameOf,
  namesOf,
  secondsOf,
  some,
  textOf,
  textsOf,
  thingsOf,
  valuesOf,
} from "./values.map.ts";

export function eventOf({ thing, base }: Placed): Extracted["events"][number] | undefined {
  const name = textOf(thing, "name");
  if (name === undefined) return undefined;
  const place = thingsOf(thing, "location").find(({ types }) => !types.includes("VirtualLocation"));
  const { offer: _, ...prices } = pricesOf(thing);
  return {
    source: thing.source,
    name,
    description: textOf(thing, "description"),
    url: addressOf(thing, base, "url"),
    image_urls: addressesOf(thing, base, "image"),
    start_at: momentOf(thing, "startDate"),
    end_at: momentOf(thing, "endDate"),
    event_status: memberOf(thing, "eventStatus", /^Event_/),
    attendance: memberOf(thing, "eventAttendanceMode", /_?Event_Attendance_Mode$/),
    place: place ? textOf(place, "name") : nameOf(thing, "location"),
    address: postalAddressOf(place),
    organiser: nameOf(thing, "organizer"),
    performers: namesOf(thing, "performer", "performers"),
    ...prices,
  };
}

export function recipeOf({ thing, base }: Placed): Extracted["recipes"][number] | undefined {
  const name = textOf(thing, "name");
  if (name === undefined) return undefined;
  const [nutrition] = thingsOf(thing, "nutrition");
  return {
    source: thing.source,
    name,
    description: textOf(thing, "description"),
    url: addressOf(thing, base, "url"),
    authors: namesOf(thing, "author"),
    image_urls: addressesOf(thing, base, "image"),
    preparation_seconds: secondsOf(thing, "prepTime"),
    cooking_seconds: secondsOf(thing, "cookTime"),
    total_seconds: secondsOf(thing, "totalTime"),
    yield: textOf(thing, "recipeYield", "yield"),
    ingredients: textsOf(thing, "recipeIngredient", "ingredients"),
    instructions: some(stepsOf(valuesOf(thing, "recipeInstructions"), 0)),
    category: nameOf(thing, "recipeCategory"),
    cuisine: nameOf(thing, "recipeCuisine"),
    calories: textOf(nutrition, "calories"),
    ...ratingOf(thing),
  };
}

const mostSteps = 200;

/** Texts of the steps; a section or list of steps counts as its steps. */
function stepsOf(values: readonly Value[], depth: number): string[] {
  const steps = values.flatMap((value) => {
    if (typeof value === "string") return value || [];
    if (typeof value !== "object" || depth > 3) return [];
    const inside = valuesOf(value, "itemListElement");
    return inside.length > 0 ? stepsOf(inside, depth + 1) : (textOf(value, "text", "name") ?? []);
  });
  return steps.slice(0, mostSteps);
}
