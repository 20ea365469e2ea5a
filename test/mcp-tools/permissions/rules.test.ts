import { describe, expect, test } from "vitest";
import { judgeCall } from "../../../mcp-tools/permissions/rules.ts";
import { fitsGlob, globOf } from "../../../protocol/names/text-glob.ts";
import { type PermissionRule, PermissionRules } from "../../../protocol/settings/permissions.ts";

const command = { type: "object", properties: { command: {}, timeout_seconds: {} }, required: ["command"] };
const path = { type: "object", properties: { path: {}, content: {} }, required: ["path", "content"] };

const bash = (rules: PermissionRule[], line: string) =>
  judgeCall(rules, { tool: "bash", args: { command: line }, inputSchema: command }, "deny")[0].decide;
const write = (rules: PermissionRule[], args: unknown) =>
  judgeCall(rules, { tool: "write", args, inputSchema: path }, "allow")[0].decide;

describe("a shell line", () => {
  const rules: PermissionRule[] = [
    { tool: "bash", match: "git push*", decide: "deny" },
    { tool: "bash", match: "git *", decide: "allow" },
    { tool: "bash", match: "head *", decide: "allow" },
  ];

  test("is allowed when each of its commands is", () => {
    expect(bash(rules, "git log --oneline | head -5")).toBe("allow");
    expect(bash(rules, "git log | tail -5")).toBe("deny");
    expect(bash(rules, "git log; rm -rf x")).toBe("deny");
  });

  test("is denied when one of its commands is, however it is written", () => {
    const mild: PermissionRule[] = [
      { tool: "bash", match: "rm *", decide: "deny" },
      { tool: "*", decide: "allow" },
    ];
    for (const line of ["ls; rm -rf x", "ls && 'rm' x", "ls|r\\m x", "ls\nrm x", "echo $(rm x)", "eval `echo rm` x"])
      expect(bash(mild, line)).toBe("deny");
    expect(bash(mild, "ls -l | wc")).toBe("allow");
  });

  test("is denied when what it does can't be told", () => {
    expect(bash(rules, "git log $(rm x)")).toBe("deny");
    expect(bash(rules, "git log > x")).toBe("deny");
    expect(bash(rules, "")).toBe("deny");
  });
});

describe("a rule", () => {
  const fits = (tool: string, called: string, inApp = false) =>
    judgeCall([{ tool, decide: "deny" }], { tool: called, args: {}, inputSchema: {}, inApp }, "allow")[0].decide ===
    "deny";

  test("names a tool, a pack, a server's tools, those of apps, or all", () => {
    expect(fits("write", "write")).toBe(true);
    expect(fits("write", "edit")).toBe(false);
    expect(fits("files", "edit")).toBe(true);
    expect(fits("journal", "edit")).toBe(false);
    expect(fits("tracker.*", "tracker.close")).toBe(true);
    expect(fits("tracker.close", "tracker.close")).toBe(true);
    expect(fits("tracker.*", "trackers.close")).toBe(false);
    expect(fits("*", "anything.at_all")).toBe(true);
    expect(fits("apps", "garden.water", true)).toBe(true);
    expect(fits("apps", "tracker.close")).toBe(false);
  });

  test("that stands first decides", () => {
    const rules: PermissionRule[] = [
      { tool: "write", match: "drafts/*", decide: "allow" },
      { tool: "files", decide: "deny" },
    ];
    expect(write(rules, { path: "drafts/a.md" })).toBe("allow");
    expect(write(rules, { path: "notes/a.md" })).toBe("deny");
    expect(write(rules.toReversed(), { path: "drafts/a.md" })).toBe("deny");
  });

  test("looks at where a path leads, and at nothing that the tool doesn't require", () => {
    const rules: PermissionRule[] = [
      { tool: "write", match: "drafts/*", decide: "allow" },
      { tool: "*", decide: "deny" },
    ];
    expect(write(rules, { path: "drafts/../secrets" })).toBe("deny");
    expect(write(rules, { path: "notes/../drafts/a" })).toBe("allow");
    for (const args of [
      { content: "drafts/a" },
      { path: ["drafts/a"] },
      null,
      "drafts/a",
      { path: "a".repeat(99_999) },
    ])
      expect(write(rules, args)).toBe("deny");
  });

  test("with a match that can't be looked at surely allows nothing, and may deny", () => {
    expect(write([{ tool: "write", match: "etc/*", decide: "deny" }], { path: {} })).toBe("deny");
    expect(write([{ tool: "write", match: "etc/*", decide: "deny" }], { path: "notes" })).toBe("allow");
  });

  test("that names no tool is refused", () => {
    const problems = (rule: unknown) => (PermissionRules.safeParse([rule]).success ? 0 : 1);
    for (const tool of ["write", "files", "*", "tracker.*", "tracker.close", "apps"])
      expect(problems({ tool, decide: "deny" })).toBe(0);
    for (const tool of ["wrte", "", "a b", "tracker.", ".*", "**", "x".repeat(300), 7])
      expect(problems({ tool, decide: "deny" })).toBe(1);
    expect(problems({ tool: "write", decide: "maybe" })).toBe(1);
    expect(problems({ tool: "write", decide: "deny", mach: "x" })).toBe(1);
  });
});

describe("a glob", () => {
  test.each([
    ["git *", "git push", true],
    ["git *", "git", false],
    ["*.md", "a/b.md", true],
    ["a?c", "abc", true],
    ["a?c", "a😀c", true],
    ["a?c", "ac", false],
    ["*a*b*", "xxaxxbxx", true],
    ["*a*b*", "xxbxxaxx", false],
    ["\\*", "*", true],
    ["\\*", "a", false],
    ["a\\", "a\\", true],
    ["[a]", "[a]", true],
    ["**", "", true],
  ])("%j on %j: %s", (pattern, text, isFit) => {
    expect(fitsGlob(pattern, text)).toBe(isFit);
  });

  test("of a text fits that text alone", () => {
    for (const text of ["rm *", "a?b", "c:\\d"]) expect(fitsGlob(globOf(text), text)).toBe(true);
    expect(fitsGlob(globOf("rm *"), "rm x")).toBe(false);
  });

  test("that is made to take long takes a number of steps that its length bounds", () => {
    const text = "a".repeat(16_384);
    expect(fitsGlob(`${"*a".repeat(499)}b`, text)).toBe(false);
    expect(fitsGlob(`${"?*".repeat(500)}`, text)).toBe(true);
    expect(fitsGlob(`*${"a".repeat(900)}b`, text)).toBe(false);
  });
});
