import { expect, test } from "vitest";
import { firstLine, lastLine, personName, shortId } from "../../../../page/words/names/names.ts";

test("names of files become names of people's", () => {
  expect(["facet-newsletter", "reviewer", "Wren", "my_own", "--"].map(personName)).toEqual([
    "Facet newsletter",
    "Reviewer",
    "Wren",
    "My own",
    "--",
  ]);
});

test("the end of an id stands for it", () => {
  expect(shortId("1737360744213")).toBe("…0744213");
  expect(shortId("4213")).toBe("4213");
});

test("the first line of a text has no spaces around it", () => expect(firstLine("\n  one \ntwo")).toBe("one"));

test("a line of a row shows its controls and what turns the order round, and is cut where it is long", () => {
  expect(firstLine("\u202Eback\u0007wards\u001b[31m\nsecond")).toBe("⟨202E⟩back␇wards␛[31m");
  expect(lastLine("first\n\u2066last\u0001 \n")).toBe("⟨2066⟩last␁");
  expect(personName("gauge\u202E-check")).toBe("Gauge⟨202E⟩ check");
  expect([firstLine("x".repeat(1_000_000)), lastLine("x".repeat(1_000_000))].map(({ length }) => length)).toEqual([
    1000, 1000,
  ]);
  expect(personName("x".repeat(1_000_000))).toHaveLength(200);
});
