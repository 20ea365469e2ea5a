import { expect, test } from "vitest";
import { keywordByTwilio, keywordOf } from "../../../channels/sms/keywords.ts";

test.each([
  "STOP",
  "Stop.",
  "stop!!",
  '"Stop"',
  "“STOP”.",
  " stop \n",
  "StopAll",
  "unsubscribe",
  "Cancel",
  "END",
  "quit",
  "Revoke",
  "OptOut",
  "Opt out",
  "opt-out.",
])("%j ends messages", (text) => {
  expect(keywordOf(text, false)).toBe("stop");
});

test.each(["", ".", "stop it", "Stop the heating at noon", "don't stop", "stop?", "opt", "the end", "ends", "Yes"])(
  "%j is for the agent",
  (text) => {
    expect(keywordOf(text, false)).toBeNull();
  },
);

test("words that begin messages again, and that ask what this is", () => {
  expect(["Start", "unstop.", "Yes!"].map((text) => keywordOf(text, true))).toEqual(["start", "start", "start"]);
  expect(["help", "Info."].map((text) => keywordOf(text, false))).toEqual(["help", "help"]);
});

test("what Twilio has taken a message as, by words of the account's own", () => {
  expect(["STOP", "START", "HELP", "", "OTHER"].map(keywordByTwilio)).toEqual(["stop", "start", "help", null, null]);
});
