import { expect, test } from "vitest";
import { textWithFiles } from "../../../scripts/chat/files-as-text.ts";

const message = { id: "m1", channel: { type: "cli", channelId: "main" }, text: "Here." };

test("a terminal is told where the files of a reply are kept", () => {
  const id = "ab".repeat(32);
  const attachments = [{ id, name: "a.txt", mime: "text/plain", size: 3 }, { name: "b" }];
  expect(textWithFiles({ ...message, attachments }, "/journal")).toBe(
    `Here.\n[file a.txt, text/plain, 3 bytes: /journal/attachments/ab/${id}]\n[file b, ?, 0 bytes]`,
  );
  expect(textWithFiles(message, "/journal")).toBe("Here.");
});
