/** The subject of a mail above its text. */
import { expect, test } from "vitest";
import { textWithSubject } from "../../../channels/mail/base/thread.ts";

const first = { subject: "The roses", references: [] };

test("a subject stands above the text of a mail that answers none", () => {
  expect(textWithSubject(first, "They need water.")).toBe("Subject: The roses\n\nThey need water.");
  expect(textWithSubject({ ...first, references: ["a@b"] }, "They need water.")).toBe("They need water.");
  expect(textWithSubject(first, "")).toBe("The roses");
});

test.each(["/new", "/model gpt-5", "ABCD2345", "allow 5f0c8d0e", "Always 5f0c8d0e", "deny 5f0c8d0e not on a Sunday"])(
  "nothing stands above what is read to the letter: %s",
  (text) => {
    expect(textWithSubject(first, text)).toBe(text);
  },
);

test("what only begins like an answer is a text", () => {
  expect(textWithSubject(first, "allow me to say")).toBe("Subject: The roses\n\nallow me to say");
});
