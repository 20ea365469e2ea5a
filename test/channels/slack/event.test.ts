/** Envelopes of Slack's as what people say, press and order; whatever else comes is nothing for an agent. */
import { expect, test } from "vitest";
import { incomingOf } from "../../../channels/slack/event.ts";

const event = { type: "message", user: "U17", channel: "C1", ts: "1.000100", text: "hello" };
const said = (more: Record<string, unknown>) => incomingOf("events_api", { event: { ...event, ...more } }, "U0BOT");

test.each<[string, Record<string, unknown>, Record<string, unknown>]>([
  ["a message in a room", {}, { isMention: false, isDirect: false, thread: undefined, text: "hello" }],
  ["a mention", { text: "<@U0BOT> hello" }, { isMention: true }],
  ["a mention with a name", { text: "<@U0BOT|cortex> hello" }, { isMention: true }],
  ["a mention of somebody with a longer id", { text: "<@U0BOTX> hello" }, { isMention: false }],
  ["a mention that says so", { type: "app_mention" }, { isMention: true }],
  ["a direct message", { channel: "D17", channel_type: "im" }, { isDirect: true, roomType: "im" }],
  [
    "a message of a thread, shown in the room too",
    { subtype: "thread_broadcast", thread_ts: "1.0" },
    { thread: "1.0" },
  ],
  [
    "a message that was passed on",
    { text: "", attachments: [{ text: "the first", fallback: "[x]" }, { fallback: "the second" }] },
    { text: "> the first\n> the second" },
  ],
  [
    "a file alone",
    {
      text: "",
      subtype: "file_share",
      files: [{ id: "F1", title: "a.txt", size: 3, url_private: "https://files.slack.com/a" }],
    },
    { text: "", files: [{ id: "F1", name: "a.txt", type: undefined, size: 3, url: "https://files.slack.com/a" }] },
  ],
])("%s", (_, more, expected) => {
  expect(said(more)).toMatchObject({
    kind: "message",
    room: "C1",
    userId: "U17",
    ts: "1.000100",
    ...(more["channel"] === "D17" && { room: "D17" }),
    ...expected,
  });
});

test.each<[string, Record<string, unknown>]>([
  ["an edit", { subtype: "message_changed", message: event }],
  ["a deletion", { subtype: "message_deleted" }],
  ["somebody who joined", { subtype: "channel_join" }],
  ["a bot", { bot_id: "B1" }],
  ["the bot itself", { user: "U0BOT" }],
  ["nothing", { text: "" }],
  ["a sender that is none", { user: "../x" }],
  ["a time that is none", { ts: "1" }],
  ["a room that is none", { channel: "c 1" }],
  ["a text that is none", { text: 7 }],
  ["another event", { type: "reaction_added" }],
])("%s is nothing for an agent", (_, more) => {
  expect(said(more)).toEqual({ kind: "other" });
});

test("an app that is taken away is seen, and envelopes of other kinds or forms are nothing", () => {
  for (const type of ["tokens_revoked", "app_uninstalled"])
    expect(incomingOf("events_api", { event: { type } }, "U0BOT")).toEqual({ kind: "revoked" });
  for (const body of [null, 7, "x", [], {}, { event: null }, { type: "block_actions" }, { user_id: "U17" }])
    for (const type of ["events_api", "interactive", "slash_commands", "options"])
      expect(incomingOf(type, body, "U0BOT")).toEqual({ kind: "other" });
});
