/** A question about a call in `cortex chat`, at a real terminal: y, n and always answer it, and the rule of always is shown before. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";
import { readSettings } from "../../../journal/config/settings.ts";
import { listQuestions } from "../../../journal/permissions/questions.ts";
import { Terminal } from "../../support/terminal/terminal.ts";
import { runCortex } from "../run-command.ts";
import { AgentsSystem } from "../../agents/agents-system.ts";

const bin = fileURLToPath(new URL("../../../bin/cortex.js", import.meta.url));
/** The rules that ask: about a call of a conversation, and about one of its tasks. */
const rules = [
  { tool: "memory_write", match: "*.md", decide: "ask" },
  { tool: "todo_add", decide: "ask" },
];
const system = await AgentsSystem.start({ agents: { join_window_ms: 0 }, permissions: rules });
afterAll(() => system[Symbol.asyncDispose]());

const env = { PATH: process.env["PATH"] ?? "", HOME: system.journal, JOURNAL_PATH: system.journal, TERM: "xterm" };
const written = (name: string) => {
  const path = join(system.journal, "memory", name);
  return existsSync(path) ? readFileSync(path, "utf8") : null;
};

/** The open question about a note. */
const asked = (name: string) =>
  system.until(
    () => listQuestions(system.journal).find((one) => !one.decision && JSON.stringify(one).includes(name)),
    `it is asked about ${name}`,
  );

const cases = [
  ["y", "allow", {}],
  ["n", "deny", {}],
  ["always", "allow", { always: true }],
] as const;

const heard: string[] = [];
system.think("pear", ({ said, results }) => {
  const last = said.at(-1) ?? "";
  heard.push(last);
  if (results.length > 0) return { text: "Done." };
  if (last.endsWith("send off two")) return { calls: ["plum-1", "plum-2"].map(spawned) };
  const path = /^write (\S+)$/m.exec(last)?.[1];
  return path === undefined
    ? { text: "Done." }
    : { calls: [{ tool: "memory_write", args: { path, content: "ripe" } }] };
});

const spawned = (word: string) => ({ tool: "spawn_subagent", args: { description: "a todo", input: `add ${word}` } });
system.think("plum", ({ said, results }) => {
  if (results.length > 0) return { text: "Done." };
  const [text] = /plum-\d/.exec(said.join("\n")) ?? [];
  return { calls: [{ tool: "todo_add", args: { facet: "garden", day: "20260101", text } }] };
});

test("each of y, n and always answers the question that was asked, and always shows what it keeps first", async () => {
  await using terminal = new Terminal([process.execPath, bin, "chat"], env, 200);
  await terminal.until((text) => text.endsWith("\n>"), "it is there");
  for (const [index, [typed, decision, more]] of cases.entries()) {
    const name = `${typed}-pear.md`;
    terminal.type(`write ${name}\r`);
    const kept = `{"tool":"memory_write","match":"${name}","decide":"allow"}`;
    const hints = (text: string) => text.split("y allows it").length - 1;
    await terminal.until((text) => text.includes(kept) && hints(text) === index + 1, "it asks");
    expect(terminal.screen.text).toContain(`"path": "${name}"`);
    expect(readSettings(system.journal).permissions).toEqual(rules);
    expect(written(name)).toBeNull();
    terminal.type(`${typed}\r`);
    const question = await system.until(
      () =>
        listQuestions(system.journal).find((one) => one.decision !== undefined && JSON.stringify(one).includes(name)),
      "it is decided",
    );
    expect(question).toMatchObject({ decision, by: "cli:main", ...more });
    const finished = (text: string) => text.split("(finished without a reply)").length - 1;
    await terminal.until((text) => finished(text) === index + 1, "its turn is over");
    expect(written(name)).toBe(decision === "allow" ? "ripe" : null);
  }
  expect(readSettings(system.journal).permissions).toEqual([
    { tool: "memory_write", match: "always-pear.md", decide: "allow" },
    ...rules,
  ]);
  terminal.type("/quit\r");
  expect(await terminal.exited).toBe(0);
});

test("a question that is decided elsewhere leaves and says so: what is typed then is for the agent", async () => {
  await using terminal = new Terminal([process.execPath, bin, "chat"], env, 200);
  await terminal.until((text) => text.endsWith("\n>"), "it is there");
  terminal.type("write elsewhere-pear.md\r");
  await terminal.until((text) => text.includes("elsewhere-pear.md") && text.includes("y allows it"), "it asks");
  const { id } = await asked("elsewhere-pear.md");
  expect((await runCortex(system.journal, ["permissions", "deny", id])).code).toBe(0);
  await terminal.until((text) => text.includes("· decided elsewhere"), "it says so");
  terminal.type("yes\r");
  await system.until(() => heard.some((text) => text.endsWith("yes")), "the agent hears it");
  expect(written("elsewhere-pear.md")).toBeNull();
  expect(terminal.screen.text).not.toContain("error:");
  terminal.type("/quit\r");
  expect(await terminal.exited).toBe(0);
});

test("of the questions of two tasks the first is answered, however often, and then the second is shown and answered", async () => {
  await using terminal = new Terminal([process.execPath, bin, "chat"], env, 200);
  await terminal.until((text) => text.endsWith("\n>"), "it is there");
  terminal.type("pears: send off two\r");
  await terminal.until((text) => text.includes("the question before it is answered first"), "both ask");
  const placeOf = (text: string) => terminal.screen.text.indexOf(`"text": "${text}"`);
  const [first = "", second = ""] = ["plum-1", "plum-2"].toSorted((a, b) => placeOf(a) - placeOf(b));
  const decisionOf = (text: string) =>
    listQuestions(system.journal).find((one) => JSON.stringify(one).includes(text))?.decision;
  terminal.type("y\ry\r");
  await terminal.until((text) => text.includes("that was for the question before"), "the second y answers nothing");
  expect([decisionOf(first), decisionOf(second)]).toEqual(["allow", undefined]);
  const shownAgain = terminal.screen.text.split("· allowed once")[1];
  expect(shownAgain).toContain(`"text": "${second}"`);
  expect(shownAgain).toContain(' keeps: [{"tool":"todo_add","decide":"allow"}]');
  terminal.type("n\r");
  expect(await system.until(() => decisionOf(second), "the second is decided")).toBe("deny");
  terminal.type("/quit\r");
  expect(await terminal.exited).toBe(0);
});
