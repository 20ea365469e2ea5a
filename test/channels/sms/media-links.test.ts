import { expect, test } from "vitest";
import { isValidLink, mediaPath } from "../../../channels/sms/media-links.ts";

const link = { message: "r1-1", file: "0a".repeat(32) };
const now = 1_736_380_800_000;
const hour = 3_600_000;

test("a link holds for its message and file, for four hours, with the token that made it", () => {
  const [, , message = "", file = "", until = "", signature = ""] = mediaPath("token", link, now).split("/");
  const parts = { message, file, until, signature };
  expect(parts).toMatchObject(link);
  const holds = (change: Partial<typeof parts>, token = "token", at = now + hour) =>
    isValidLink(token, { ...parts, ...change }, at);
  expect(holds({})).toBe(true);
  expect(holds({}, "token", now + 4 * hour)).toBe(true);
  expect(holds({}, "token", now + 4 * hour + 1)).toBe(false);
  expect(holds({}, "another")).toBe(false);
  expect(holds({ message: "r1-2" })).toBe(false);
  expect(holds({ file: "0b".repeat(32) })).toBe(false);
  expect(holds({ until: String(now + 9 * hour) })).toBe(false);
  expect(holds({ signature: "" })).toBe(false);
  expect(holds({ file: "../../cortex.json" })).toBe(false);
});
