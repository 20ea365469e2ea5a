import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { sdkFailure } from "../../../backends/claude/sdk.ts";

/** A process in which the package can't be found. */
const withoutSdk = `
  import { registerHooks } from "node:module";
  registerHooks({ resolve(name, context, next) {
    if (name === "@anthropic-ai/claude-agent-sdk") throw new Error("Cannot find package '" + name + "'");
    return next(name, context);
  } });
  const { loadSdk } = await import("./backends/claude/sdk.ts");
  await loadSdk().catch(({ reason, message }) => console.log(JSON.stringify({ reason, message })));
`;

test("a run without the SDK installed says how to install it", async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", withoutSdk]);
  expect(JSON.parse(stdout)).toEqual({
    reason: "config",
    message:
      "the claude backend needs the Claude Agent SDK: npm install @anthropic-ai/claude-agent-sdk (Cannot find package '@anthropic-ai/claude-agent-sdk')",
  });
});

test("a run without the SDK's program says how to install it", () => {
  const failure = sdkFailure(new Error("Native CLI binary for linux-x64 not found."), "");
  expect(failure).toMatchObject({ reason: "config", message: expect.stringContaining("npm install") });
});

test("the program's stderr explains why it stopped", () => {
  const failure = sdkFailure(new Error("Claude Code process exited with code 1"), "no space left on device\n");
  expect(failure).toMatchObject({
    reason: "provider",
    message: "claude stopped: Claude Code process exited with code 1: no space left on device",
  });
});
