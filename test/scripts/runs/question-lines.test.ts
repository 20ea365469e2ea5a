import { expect, test } from "vitest";
import { questionLines } from "../../../scripts/runs/question-lines.ts";

const said = (event: string, fields: Record<string, unknown>) =>
  questionLines({ event, ts: 1, seq: 2, agent_id: "1736380800000", id: "5f0c8d0e9b1a4c7d", ...fields });

test("a call that waits is told of in lines that nothing in it can break, with the command that answers it", () => {
  const asked = { tool: "bash", args: { command: "a\u202e\n\u001b[2Jb" }, why: "a\nrule", expires: 2 };
  const lines = said("permission", asked)?.split("\n");
  expect(lines).toHaveLength(3);
  expect(lines?.[0]).toMatch(/^May bash be called\? \{"command":"a \\n\\u001b\[2Jb"\}$/);
  expect(lines?.[1]).toBe("  a rule");
  expect(lines?.[2]).toMatch(/^ {2}answer: .*cortex permissions allow 5f0c8d0e, or deny$/);
  expect(said("permission", { tool: "loop", loop: true, why: "round", args: {} })).toMatch(
    /^May the run go on\?\n {2}round\n/,
  );
});

test("a decision is told with who made it, and that nobody did", () => {
  expect(said("permission_decided", { decision: "allow", by: "cli:main" })).toBe("allowed by cli:main (5f0c8d0e)");
  expect(said("permission_decided", { decision: "deny", by: "timeout" })).toBe("denied: nobody answered (5f0c8d0e)");
  expect(said("tool_start", { tool: "bash" })).toBeNull();
});
