import { expect, test } from "vitest";
import { questionOf } from "../../../acp/updates/question.ts";
import type { AgentEvent } from "../../../protocol/runs/event.ts";

const run = "1736380800000";
const permission = (fields: object): AgentEvent => ({
  event: "permission",
  ts: 0,
  agent_id: run,
  seq: 1,
  id: "q1",
  why: "a rule asks about it",
  expires: 1,
  ...fields,
});
const why = { type: "content", content: { type: "text", text: "a rule asks about it" } };

test("a question names its call, and shows what would be changed, and why it is asked", () => {
  const args = { path: "a.md", old_str: "a", new_str: "b" };
  expect(questionOf(permission({ tool: "edit", args, call_id: "c1" }), "/garden")).toMatchObject({
    toolCallId: `${run}:c1`,
    title: "edit a.md",
    kind: "edit",
    status: "pending",
    content: [{ type: "diff", path: "/garden/a.md", oldText: "a", newText: "b" }, why],
  });
});

test("a question whose call isn't named, and one whether the run may go on, have an id of their own", () => {
  expect(questionOf(permission({ tool: "bash", args: { command: "ls" } }), undefined)).toMatchObject({
    toolCallId: `${run}:question-q1`,
    title: "ls",
  });
  expect(questionOf(permission({ tool: "loop", loop: true }), undefined)).toMatchObject({
    toolCallId: `${run}:question-q1`,
    title: "May the run go on?",
    content: [why],
  });
});
