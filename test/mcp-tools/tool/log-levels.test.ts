import { expect, test } from "vitest";
import { LogLevels } from "../../../mcp-tools/tool/log-levels.ts";

test("each client has its own level, and none before it has asked", () => {
  const levels = new LogLevels();
  levels.set("a", "debug");
  levels.set("b", "error");
  levels.set("a", "info");
  expect([levels.of("a"), levels.of("b"), levels.of("c")]).toEqual(["info", "error", undefined]);
});

test("the client that was silent longest is forgotten when there are very many", () => {
  const levels = new LogLevels();
  levels.set("first", "debug");
  levels.set("second", "debug");
  for (let n = 0; n < 998; n++) levels.set(String(n), "info");
  levels.of("first");
  levels.set("one more", "info");
  expect([levels.of("first"), levels.of("second")]).toEqual(["debug", undefined]);
});
