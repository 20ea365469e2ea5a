import { expect, test } from "vitest";
import { EventParser } from "../../../channels/signal/event-stream.ts";

const parsed = (...pieces: string[]) => {
  let tooLong = 0;
  const parser = new EventParser(() => tooLong++);
  return { events: pieces.flatMap((piece) => parser.push(piece)), tooLong };
};

test("events are whole however they are torn, and signs of life are none", () => {
  const text = ':\nevent:receive\ndata:{"a":1}\n\n:\ndata: two\r\ndata:lines\r\n\r\nevent:receive\n\ndata:half';
  const expected = { events: ['{"a":1}', "two\nlines"], tooLong: 0 };
  expect(parsed(text)).toEqual(expected);
  expect(parsed(...text.split(""))).toEqual(expected);
});

test("an event that is too long is passed over, and the next one isn't", () => {
  const long = "x".repeat(600_000);
  expect(parsed("data:", long, long, "\n\n", "data:next\n\n")).toEqual({ events: ["next"], tooLong: 1 });
});
