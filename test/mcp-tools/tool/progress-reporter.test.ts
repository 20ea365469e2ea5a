import type { ServerNotification } from "@modelcontextprotocol/server";
import { expect, test } from "vitest";
import { progressReporter, type ReportOptions } from "../../../mcp-tools/tool/progress-reporter.ts";

function listen(options: ReportOptions) {
  const heard: ServerNotification[] = [];
  const controller = new AbortController();
  const reporter = progressReporter("spin", options, controller.signal, (notice) => void heard.push(notice));
  return { reporter, heard, abort: () => controller.abort() };
}

test("a client that asked for nothing hears nothing", () => {
  const { reporter, heard } = listen({});
  reporter.progress(1, 2, "half");
  reporter.log("emergency", "fire");
  expect(heard).toEqual([]);
});

test("progress goes to the token that it was asked for with", () => {
  const { reporter, heard } = listen({ progressToken: 0 });
  reporter.progress(1, 2, "half");
  reporter.progress(2);
  expect(heard).toEqual([
    { method: "notifications/progress", params: { progressToken: 0, progress: 1, total: 2, message: "half" } },
    { method: "notifications/progress", params: { progressToken: 0, progress: 2 } },
  ]);
});

test("a note is heard from the level asked for on, and progress at the lowest", () => {
  const { reporter, heard } = listen({ logLevel: "warning" });
  reporter.log("notice", "no");
  reporter.log("warning", "yes");
  reporter.progress(1);
  expect(heard).toEqual([
    { method: "notifications/message", params: { level: "warning", logger: "spin", data: "yes" } },
  ]);
  const all = listen({ logLevel: "debug" });
  all.reporter.progress(1, 2, "half");
  expect(all.heard).toMatchObject([{ params: { level: "debug", data: "1 of 2: half" } }]);
});

test("a tool that talks without end is cut off, and so is a long text", () => {
  const { reporter, heard } = listen({ logLevel: "debug" });
  for (let n = 0; n < 1_100; n++) reporter.log("info", "x".repeat(9_000));
  expect(heard).toHaveLength(1_000);
  expect(JSON.stringify(heard[0]).length).toBeLessThan(9_000);
});

test("after the end nothing is sent", () => {
  const { reporter, heard, abort } = listen({ logLevel: "debug", progressToken: "a" });
  abort();
  reporter.progress(1);
  expect(heard).toEqual([]);
});
