import { expect, test } from "vitest";
import { plainEnvironment } from "../../../proc/programs/plain-environment.ts";

test("a program gets the public part of our environment, and the named variables", () => {
  const own = { PATH: "/bin", HOME: "/home/me", ANTHROPIC_API_KEY: "sk", JOURNAL_PATH: "/j", NATS_URL: "nats://x" };
  expect(plainEnvironment(own)).toEqual({ PATH: "/bin", HOME: "/home/me" });
  expect(plainEnvironment(own, ["ANTHROPIC_API_KEY", "absent"])).toEqual({
    PATH: "/bin",
    HOME: "/home/me",
    ANTHROPIC_API_KEY: "sk",
  });
});
