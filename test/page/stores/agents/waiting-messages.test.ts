/** The messages that wait, whose queue is answered later than they are told or taken back. */
import { expect, test } from "vitest";
import { WaitingMessages } from "../../../../page/stores/agents/waiting-messages.ts";

const queued = (id: string, mode: string | null = null) => ({ id, ts: 0, type: "user", text: id, mode });
const shown = ({ all }: WaitingMessages) => all.map(({ id, mode }) => `${id} ${mode ?? "waits"}`);

function read(messages: WaitingMessages, queue: Parameters<WaitingMessages["take"]>[0]): void {
  messages.ask();
  messages.take(queue);
}

test("a message that is taken back while a queue is on its way, in which it waits, doesn't come back", () => {
  const messages = new WaitingMessages();
  read(messages, [queued("a"), queued("b")]);
  messages.ask();
  messages.takeBack("a");
  messages.take([queued("a"), queued("b")]);
  expect(shown(messages)).toEqual(["b waits"]);
});

test("a message that is said now while a queue is on its way, in which it waits, is told", () => {
  const messages = new WaitingMessages();
  read(messages, [queued("a"), queued("b")]);
  messages.ask();
  messages.tell("b");
  messages.take([queued("a"), queued("b")]);
  expect(shown(messages)).toEqual(["a waits", "b steer"]);
});

test("a later queue says how it is, and what was sent a moment ago stays until it has come there", () => {
  const messages = new WaitingMessages();
  messages.ask();
  messages.add({ id: "c", ts: Date.now(), text: "c", mode: null, isSent: true });
  messages.tell("a");
  messages.take([queued("a"), { ...queued("x"), type: "system" }]);
  expect(shown(messages)).toEqual(["a steer", "c waits"]);
  read(messages, [queued("a"), queued("c")]);
  expect(shown(messages)).toEqual(["a waits", "c waits"]);
  messages.leaveOut(new Set(["a"]));
  read(messages, []);
  expect(shown(messages)).toEqual([]);
});
