import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { toolCommand } from "../../../../page/words/runs/tool-command.ts";

test("a shell hands on the same arguments, whatever stands in them", () => {
  const args = { query: `it's "so" $HOME \`id\` \\ !\nnext`, limit: 5 };
  const command = toolCommand("search_journal", args).replace("cortex", "printf '%s\\n%s\\n%s\\n%s'");
  const out = execFileSync("sh", ["-c", command], { encoding: "utf8" });
  expect(out).toBe(["tools", "call", "search_journal", JSON.stringify(args)].join("\n"));
});

test("a call without arguments is short", () => {
  expect(toolCommand("list_days", {})).toBe("cortex tools call list_days");
});
