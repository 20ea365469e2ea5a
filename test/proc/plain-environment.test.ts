import { expect, test } from "vitest";
import { plainEnvironment } from "../../proc/programs/plain-environment.ts";

test("of our environment a program gets what everybody may know, and what is named", () => {
  const own = { PATH: "/bin", HOME: "/home/me", ANTHROPIC_API_KEY: "sk", JOURNAL_PATH: "/j", NATS_URL: "nats://x" };
  expect(plainEnvironment(own)).toEqual({ PATH: "/bin", HOME: "/home/me" });
  expect(plainEnvironment(own, ["ANTHROPIC_API_KEY", "absent"])).toEqual({
    PATH: "/bin",
    HOME: "/home/me",
    ANTHROPIC_API_KEY: "sk",
  });
});
