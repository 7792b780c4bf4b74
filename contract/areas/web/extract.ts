import * as z from "zod";

/** Form in which the page states a record. */
export const sources = ["json_ld", "microdata", "rdfa", "microformats", "open_graph"] as const;

const source = z.enum(sources).describe("Form in which the page states it");
const moment = (what: string) => z.string().optional().describe(`${what}, ISO 8601 as stated`);
const imageUrls = z.array(z.string()).optional().describe("Addresses of pictures");
const ratingFields = {
  rating: z.number().optional().describe("Average rating"),
  rating_max: z.number().optional().describe("The best rating there is, where stated"),
  reviews_count: z.int().min(0).optional().describe("Number of ratings or reviews"),
};
const postalAddress = z
  .object({
    text: z.string().optional().describe("Address that is stated as one text"),
    street: z.string().optional().describe("Street and number"),
    city: z.string().optional(),
    region: z.string().optional(),
    postal_code: z.string().optional().describe("Postal code"),
    country: z.string().optional().describe("Name or code of the country, as stated"),
  })
  .meta({ id: "WebPostalAddress" });

export const product = z.object({
  source,
  name: z.string(),
  description: z.string().optional(),
  url: z.string().optional(),
  image_urls: imageUrls,
  brand: z.string().optional().describe("Brand"),
  category: z.string().optional(),
  sku: z.string().optional().describe("Number of the product at the shop"),
  gtin: z.string().optional().describe("Global trade item number"),
  mpn: z.string().optional().describe("Number of the product at its maker"),
  price: z.number().optional().describe("Price of the first offer that states one"),
  price_low: z.number().optional().describe("Lowest price of an aggregate offer"),
  price_high: z.number().optional().describe("Highest price of an aggregate offer"),
  currency: z.string().optional(),
  availability: z.string().optional().describe("Availability, such as `in_stock`"),
  condition: z.string().optional().describe("Condition, such as `new` or `used`"),
  seller: z.string().optional().describe("Name of the seller"),
  ...ratingFields,
});

export const article = z.object({
  source,
  title: z.string(),
  description: z.string().optional(),
  url: z.string().optional(),
  authors: z.array(z.string()).optional().describe("Names of the authors"),
  publisher: z.string().optional().describe("Name of the publisher"),
  published_at: moment("Publication"),
  modified_at: moment("Last change"),
  section: z.string().optional().describe("Section of the publication"),
  keywords: z.array(z.string()).optional(),
  language: z.string().optional(),
  image_urls: imageUrls,
  words_count: z.int().min(0).optional().describe("Number of words, as stated"),
  is_free: z.boolean().optional().describe("Whether it is accessible for free, where stated"),
});

export const jobPosting = z.object({
  source,
  title: z.string(),
  description: z.string().optional(),
  url: z.string().optional(),
  organisation: z.string().optional().describe("Name of the employer"),
  posted_at: moment("Day of the posting"),
  valid_until: moment("End of the posting"),
  employment_types: z.array(z.string()).optional().describe("Such as `full_time`"),
  locations: z.array(postalAddress).optional().describe("Places of work"),
  is_remote: z.literal(true).optional().describe("Present where the whole job is remote"),
  salary_low: z.number().optional().describe("Lowest base salary"),
  salary_high: z.number().optional().describe("Highest base salary"),
  salary_period: z
    .string()
    .optional()
    .describe("Period that the salary is paid for, such as `month`"),
  currency: z.string().optional(),
});

export const recipe = z.object({
  source,
  name: z.string(),
  description: z.string().optional(),
  url: z.string().optional(),
  authors: z.array(z.string()).optional().describe("Names of the authors"),
  image_urls: imageUrls,
  preparation_seconds: z.int().min(0).optional().describe("Time of preparation, in seconds"),
  cooking_seconds: z.int().min(0).optional().describe("Time of cooking, in seconds"),
  total_seconds: z.int().min(0).optional().describe("Time in all, in seconds"),
  yield: z.string().optional().describe("Servings or amount, as stated"),
  ingredients: z.array(z.string()).optional().describe("Ingredients with their amounts"),
  instructions: z.array(z.string()).optional().describe("Steps in order"),
  category: z.string().optional(),
  cuisine: z.string().optional().describe("Cuisine"),
  calories: z.string().optional().describe("Energy of a serving, as stated"),
  ...ratingFields,
});

export const event = z.object({
  source,
  name: z.string(),
  description: z.string().optional(),
  url: z.string().optional(),
  image_urls: imageUrls,
  start_at: moment("Beginning"),
  end_at: moment("End"),
  event_status: z.string().optional().describe("Such as `scheduled` or `cancelled`"),
  attendance: z.string().optional().describe("`offline`, `online` or `mixed`"),
  place: z.string().optional().describe("Name of the place"),
  address: postalAddress.optional(),
  organiser: z.string().optional().describe("Name of the organiser"),
  performers: z.array(z.string()).optional().describe("Names of the performers"),
  price: z.number().optional().describe("Price of the first offer that states one"),
  price_low: z.number().optional().describe("Lowest price of an aggregate offer"),
  price_high: z.number().optional().describe("Highest price of an aggregate offer"),
  currency: z.string().optional(),
});

export const organisation = z.object({
  source,
  name: z.string(),
  legal_name: z.string().optional().describe("Registered name"),
  description: z.string().optional(),
  url: z.string().optional(),
  logo_url: z.string().optional().describe("Address of the logo"),
  phone: z.string().optional(),
  email: z.string().optional().describe("E-mail address"),
  address: postalAddress.optional(),
  same_as: z.array(z.string()).optional().describe("Addresses of the same organisation elsewhere"),
  founded: moment("Day of the foundation"),
  ...ratingFields,
});

export const review = z.object({
  source,
  title: z.string().optional(),
  text: z.string().optional(),
  author: z.string().optional().describe("Name of the author"),
  rating: z.number().optional().describe("Rating by the author"),
  rating_max: z.number().optional().describe("The best rating there is, where stated"),
  item: z.string().optional().describe("Name of the reviewed thing"),
  published_at: moment("Publication"),
});

export const breadcrumb = z.object({
  source,
  items: z.array(
    z.object({
      position: z.int().optional().describe("Place in the list, as stated"),
      name: z.string(),
      url: z.string().optional(),
    }),
  ),
});

const table = z.object({
  caption: z.string().optional().describe("Caption of the table"),
  header: z
    .array(z.string())
    .optional()
    .describe("Cells of the first row, where all are header cells"),
  rows: z.array(z.array(z.string())).describe("Texts of the cells, by row"),
});

const scalar = z.union([z.string(), z.number(), z.boolean()]);

/** Statements of a page in machine-readable form. */
export const extracted = z.object({
  products: z.array(product).describe("Products, with the price of an offer"),
  articles: z.array(article).describe("Articles, news and blog posts"),
  job_postings: z.array(jobPosting).describe("Job postings"),
  recipes: z.array(recipe).describe("Recipes"),
  events: z.array(event).describe("Events"),
  organisations: z
    .array(organisation)
    .describe("Organisations that the page describes by themselves"),
  reviews: z.array(review),
  breadcrumbs: z.array(breadcrumb).describe("Ways from the site's start to the page"),
  tables: z
    .array(table)
    .describe("Tables of data: no nested table, two rows and two columns at least"),
  selected: z
    .record(z.string(), z.union([scalar, z.array(scalar)]))
    .optional()
    .describe(
      "Values of the caller's `selectors`, by name; a name without a valid value is in `missing`",
    ),
  missing: z
    .array(
      z.object({
        name: z.string().describe("Name of the selector"),
        reason: z
          .enum(["no_match", "no_value", "wrong_type"])
          .describe("Nothing matches, the match has no value, or the value is not of the type"),
      }),
    )
    .optional()
    .describe("Selectors without a value"),
  extras: z
    .record(z.string(), z.unknown())
    .optional()
    .describe(
      "The page's own data, where `include_source` is true: `json_ld`, `microdata`, `rdfa`, `microformats`, and `app_state` by name",
    ),
  is_cut: z
    .literal(true)
    .optional()
    .describe(
      "Present where the page has more of it than is read: 2 million characters, 200 records of a kind",
    ),
});

/** Whether nothing was found in the page. */
export function isNothing(data: z.output<typeof extracted>): boolean {
  const lists = [
    data.products,
    data.articles,
    data.job_postings,
    data.recipes,
    data.events,
    data.organisations,
    data.reviews,
    data.breadcrumbs,
    data.tables,
  ];
  const found = [...lists.map((list) => list.length), Object.keys(data.selected ?? {}).length];
  return found.every((count) => count === 0) && Object.keys(data.extras ?? {}).length === 0;
}

/** Forms of a page that may be empty, beside others that always state something. */
interface Forms {
  markdown?: string | undefined;
  main_content?: string | undefined;
  extract?: z.output<typeof extracted> | undefined;
}
const mayBeEmpty = new Set(["url", "markdown", "main_content", "extract"]);

/** Whether an answer has nothing in any form, as that of the form's own operation has nothing. */
export function isBlank(forms: Forms): boolean {
  const { markdown, main_content: main, extract } = forms;
  const isEmpty = !markdown && !main && (extract === undefined || isNothing(extract));
  return isEmpty && Object.keys(forms).every((form) => mayBeEmpty.has(form));
}
