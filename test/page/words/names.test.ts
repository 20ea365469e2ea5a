import { expect, test } from "vitest";
import { firstLine, personName, shortId } from "../../../page/words/names.ts";

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
