/** Members of pages of an encyclopedia and of the entities that they are about. */
export const encyclopedia: Readonly<Record<string, string>> = {
  data_type: "Type of the property, as the source names it",
  entity_id: "Id of the entity at Wikidata, in every language the same",
  matched_text: "The name that the words match",
  own_name: "Name of the language in itself",
  page_id: "Number of the page in its edition",
  precision: "How much of the time is known: day, month, year, decade, century or millennium",
  property_id: "Id of the property at Wikidata",
  revision_id: "Number of the page's latest version",
  site: "Wiki of the page, such as enwiki",
  statements: "What is known about the entity",
};
