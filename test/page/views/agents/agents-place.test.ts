import { expect, test } from "vitest";
import { addressOf, placeOf } from "../../../../page/views/agents/agents-place.ts";

test.each([
  ["", undefined, { section: "personas", item: null }],
  ["", "tools", { section: "tools", item: null }],
  ["", "<script>", { section: "personas", item: null }],
  ["tools", undefined, { section: "personas", item: "tools" }],
  ["app:chef", undefined, { section: "personas", item: "app:chef" }],
  ["tools/tracker.search", undefined, { section: "tools", item: "tracker.search" }],
  ["memory/people/anna 100%.md", undefined, { section: "memory", item: "people/anna 100%.md" }],
  ["team/0199b1f0", undefined, { section: "team", item: "0199b1f0" }],
  ["team", undefined, { section: "personas", item: "team" }],
  ["live/abc", undefined, { section: "live", item: "abc" }],
] as const)("the address %j, of %j, is a place", (rest, of, place) => {
  expect(placeOf(rest, of)).toEqual(place);
});

test("a place has the address that leads to it, whatever stands in a name", () => {
  for (const item of ["people/anna 100%.md", "a?b#c", "ä/ö"]) {
    const address = new URL(addressOf("memory", item), "http://page");
    const rest = address.pathname.split("/").slice(2).map(decodeURIComponent).join("/");
    expect([address.search, placeOf(rest, undefined)]).toEqual(["", { section: "memory", item }]);
  }
  expect([addressOf("personas", null), addressOf("skills", null)]).toEqual(["/agents", "/agents?of=skills"]);
});
