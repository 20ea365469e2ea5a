/** The states of an external server: each input in each state. */
import { expect, test } from "vitest";
import { nextState, type ServerInput } from "../../../mcp-tools/external/server-state-machine.ts";

test("an external server that is lost is connecting until too many attempts have failed, and ready when one succeeds", () => {
  expect(nextState("ready", "lost")).toBe("connecting");
  expect(nextState("connecting", "retrying")).toBe("connecting");
  expect(nextState("connecting", "exhausted")).toBe("failed");
  expect(nextState("failed", "exhausted")).toBe("failed");
  expect(nextState("failed", "connected")).toBe("ready");
});

test("the end of a connection that was given up changes nothing", () => {
  expect(nextState("connecting", "lost")).toBeNull();
});

test.each<ServerInput>(["connected", "retrying", "exhausted"])(
  "an external server that is ready can't be %s",
  (input) => {
    expect(() => nextState("ready", input)).toThrow(`that is ready can't be ${input}`);
  },
);
