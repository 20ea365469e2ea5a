import { expect, test } from "vitest";
import {
  dayAddress,
  dayTitle,
  facetAddress,
  fileAddress,
  markedPieces,
  placeOf,
  sectionOf,
} from "../../../../page/views/journal/journal-place.ts";

const restOf = (address: string) =>
  (address.split("?")[0] ?? "").replace("/journal/", "").split("/").map(decodeURIComponent).join("/");

test("days, facets and files have addresses that lead back to them", () => {
  expect(placeOf(restOf(dayAddress("20250118")))).toEqual({ kind: "day", day: "20250118" });
  expect(placeOf(restOf(facetAddress("garden")))).toEqual({ kind: "facet", name: "garden" });
  const path = "facets/garden/news/a & b #1?.md";
  expect(placeOf(restOf(fileAddress(path)))).toEqual({ kind: "file", path });
  expect([placeOf(""), placeOf("files/"), placeOf("elsewhere/x")].map(({ kind }) => kind)).toEqual(
    Array(3).fill("index"),
  );
  expect(dayTitle("20250118")).toBe("Saturday, 18 January 2025");
});

test("a file stands in the list that it belongs to, unless the address names another", () => {
  expect(sectionOf(placeOf("files/facets/garden/news/20250119.md"), undefined)).toBe("facets");
  expect(sectionOf(placeOf("files/20250118/notes.md"), undefined)).toBe("days");
  expect(sectionOf(placeOf("files/20250118/notes.md"), "reports")).toBe("reports");
  expect(sectionOf(placeOf(""), "toString")).toBe("days");
});

test("passages are marked where the words stand; places that can't be are left out", () => {
  expect(
    markedPieces("a lemon tree", [
      [2, 7],
      [8, 12],
    ]),
  ).toEqual([
    { text: "a ", isFound: false },
    { text: "lemon", isFound: true },
    { text: " ", isFound: false },
    { text: "tree", isFound: true },
  ]);
  expect(
    markedPieces("abc", [
      [1, 9],
      ["x", 2],
      [2, 1],
    ])
      .map(({ text }) => text)
      .join(""),
  ).toBe("abc");
});
