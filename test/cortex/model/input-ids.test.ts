import { expect, test } from "vitest";
import { InputIds } from "../../../cortex/model/input-ids.ts";

test("an input is told when its event is there, and untaken until the run has answered it", () => {
  const ids = new InputIds();
  for (const event of [
    { event: "input_taken", id: "c" },
    { event: "input", id: "a", text: "x" },
    { event: "input", id: "b", text: "x" },
    { event: "input", text: "of an older cortex" },
    { event: "permission", id: "q" },
    { event: "input_taken", id: "b" },
    { event: "input", id: "c", text: "x" },
  ])
    ids.add(event);
  expect(["a", "b", "c", "q"].map((id) => ids.has(id))).toEqual([true, true, true, false]);
  expect(ids.untaken).toEqual(["a", "c"]);
});
