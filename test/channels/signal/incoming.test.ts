import { expect, test } from "vitest";
import type { DataMessage } from "../../../channels/signal/envelope.ts";
import { incomingOf } from "../../../channels/signal/incoming.ts";

const own = { number: "+491700000001", uuid: "11111111-1111-1111-1111-111111111111" };
const ada = "+491700000017";
const called = (start: number) => ({ start, length: 1, number: own.number, uuid: own.uuid });
const bob = (start: number) => ({ start, length: 1, number: "+491700000018", uuid: null });

function inGroup(message: string, more: Partial<DataMessage>) {
  const dataMessage = { timestamp: 5, message, groupInfo: { groupId: "harbor=" }, ...more };
  const incoming = incomingOf({ envelope: { sourceNumber: ada, timestamp: 5, dataMessage } }, own, () => true);
  return incoming.kind === "message" ? { text: incoming.message.text, isForUs: incoming.isForUs } : null;
}

test.each([
  ["\uFFFC /new", [called(0)], "/new"],
  ["/stop \uFFFC", [called(6)], "/stop"],
  ["\uFFFC ask \uFFFC", [called(0), bob(6)], "ask @+491700000018"],
  ["Say \uFFFC, is it open?", [called(4)], "Say @+491700000001, is it open?"],
  ["\uFFFC", [called(0)], "@+491700000001"],
])("in a group %j is said to us", (message, mentions, text) => {
  expect(inGroup(message, { mentions })).toEqual({ text, isForUs: true });
});

test("in a group a picture with nothing but our name is said to us, without a text", () => {
  const more = { mentions: [called(0)], attachments: [{ id: "quay.png" }] };
  expect(inGroup("\uFFFC", more)).toEqual({ text: "", isForUs: true });
});

test.each([
  ["hello", []],
  ["@+491700000001 hello", []],
  ["\uFFFC hello", [bob(0)]],
])("in a group %j isn't said to us", (message, mentions) => {
  expect(inGroup(message, { mentions })?.isForUs).toBe(false);
});
