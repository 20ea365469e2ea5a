import { expect, test } from "vitest";
import { withFileNames } from "../../../channels/adapter/file-names.ts";
import { outbound } from "../channel-system.ts";

test("each file has a line below the text, with what is known of it", () => {
  const attachments = [{ name: "a.png", mime: "image/png", size: 3 }, { name: "b" }, {}, { name: "c", size: 0 }];
  const message = { ...outbound("o1", "webhook", "Two.\nLines."), attachments };
  expect(withFileNames(message)).toEqual({
    ...message,
    text: "Two.\nLines.\n[file a.png, image/png, 3 bytes]\n[file b]\n[file file]\n[file c, 0 bytes]",
  });
});

test("a message without files goes out as it is", () => {
  for (const message of [outbound("o1", "webhook"), { ...outbound("o2", "webhook"), attachments: [] }])
    expect(withFileNames(message)).toBe(message);
});
