/** Members of places on the map. */
export const places: Readonly<Record<string, string>> = {
  county: "County or district of the state",
  east: "Longitude of the eastern border",
  full_address: "The whole address in one line",
  house_number: "House number",
  importance: "How well known the place is, 0 to 1",
  key: "Key of the tag",
  north: "Latitude of the northern border",
  opening_hours: "Opening hours, as OpenStreetMap writes them",
  south: "Latitude of the southern border",
  street: "Street",
  west: "Longitude of the western border",
};
