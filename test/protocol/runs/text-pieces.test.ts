import { expect, test } from "vitest";
import type { AgentEvent } from "../../../protocol/runs/event.ts";
import { TextPieces } from "../../../protocol/runs/text-pieces.ts";

const event = (name: string, fields: object) => ({ event: name, agent_id: "1736380800000", ...fields }) as AgentEvent;
const delta = (text: string) => event("text_delta", { text });
const text = (text: string) => event("text", { text });
const partial = (text: string) => event("text", { text, partial: true });
const finish = (result: string) => event("finish", { result });

test.each<[string, AgentEvent[], string[]]>([
  ["streams", [delta("One "), delta("two."), text("One two."), finish("One two.")], ["One ", "two.", "", ""]],
  ["tells whole texts", [text("One."), text("Two."), finish("Two.")], ["One.", "\n\nTwo.", ""]],
  ["tells a result alone", [finish("Two.")], ["Two."]],
  ["lost the end of its stream", [delta("One "), text("One two."), finish("One two.")], ["One ", "two.", ""]],
  [
    "streams two texts",
    [delta("One."), text("One."), delta("Two."), text("Two."), finish("Two.")],
    ["One.", "", "\n\nTwo.", "", ""],
  ],
  ["finishes with another text", [text("Looking."), finish("Found.")], ["Looking.", "\n\nFound."]],
  [
    "streams a text that is kept in pieces",
    [delta("One "), partial("One "), delta("two."), partial("two."), delta(" More."), text("One two. More.")],
    ["One ", "", "two.", "", " More.", ""],
  ],
  [
    "keeps pieces of a text and streams none",
    [partial("One "), partial("two."), text("One two. More."), finish("One two. More.")],
    ["One ", "two.", " More.", ""],
  ],
  [
    "says a text anew",
    [delta("One "), event("retry", {}), delta("Two "), text("Two times."), finish("Two times.")],
    ["One ", "", "\n\nTwo ", "times.", ""],
  ],
  ["loses the last text of its stream", [delta("One "), finish("One two.")], ["One ", "two."]],
  ["says nothing", [finish("")], [""]],
])("each piece of a run that %s is handed on once", (_, events, pieces) => {
  const read = new TextPieces();
  expect(events.map((one) => read.next(one))).toEqual(pieces);
});
