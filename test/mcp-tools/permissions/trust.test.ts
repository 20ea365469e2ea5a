import { expect, test } from "vitest";
import { judgeTrust } from "../../../mcp-tools/permissions/trust.ts";
import { Trust } from "../../../protocol/runs/request/trust.ts";

const tools = {
  reads: { tool: "read", annotations: { readOnlyHint: true } },
  changes: { tool: "todo_add", annotations: { readOnlyHint: false, destructiveHint: false } },
  destroys: { tool: "write", annotations: { readOnlyHint: false, destructiveHint: true } },
  silent: { tool: "garden.plant" },
};
const judged = (trust: object) =>
  Object.fromEntries(
    Object.entries(tools).map(([name, call]) => [name, judgeTrust(Trust.parse(trust), call)?.action ?? null]),
  );

test("each level asks about less than the one before it", () => {
  const destroys = "escalate";
  expect(judged({ level: 0 })).toEqual({ reads: "approve", changes: "approve", destroys, silent: "approve" });
  expect(judged({ level: 1 })).toEqual({ reads: null, changes: "approve", destroys, silent: "approve" });
  expect(judged({ level: 2 })).toEqual({ reads: null, changes: null, destroys, silent: null });
  expect(judged({ level: 3 })).toEqual({ reads: null, changes: null, destroys, silent: null });
});

test("the agent's lists go before annotations, the strictest that names the tool first", () => {
  expect(judged({ level: 1, autonomous: ["todo_add", "files", "garden.*"] })).toEqual({
    reads: null,
    changes: null,
    destroys: null,
    silent: null,
  });
  expect(judged({ level: 2, approve: ["*"] })).toEqual({
    reads: "approve",
    changes: "approve",
    destroys: "approve",
    silent: "approve",
  });
  expect(judged({ level: 3, approve: ["*"], escalate: ["todo"] })).toEqual({
    reads: null,
    changes: "escalate",
    destroys: null,
    silent: null,
  });
  expect(judged({ level: 1, autonomous: ["*"], approve: ["write"], escalate: ["garden.plant"] })).toEqual({
    reads: null,
    changes: null,
    destroys: "approve",
    silent: "escalate",
  });
  expect(judged({ level: 0, autonomous: ["*"] })["reads"]).toBe("approve");
});

test("somebody who is asked reads why", () => {
  const why = (trust: object) => judgeTrust(Trust.parse(trust), tools.destroys)?.why;
  expect(why({ level: 3 })).toBe("it may destroy something; the workspace's trust level is 3");
  expect(why({ level: 2, approve: ["files"] })).toBe(
    `the agent's list "approve" names it; the workspace's trust level is 2`,
  );
});
