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
const rule = { tool: "memory_write", match: "*.md", decide: "ask" };
const system = await AgentsSystem.start({ agents: { join_window_ms: 0 }, permissions: [rule] });
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
  const path = /write (\S+)$/.exec(last)?.[1];
  if (results.length > 0 || path === undefined) return { text: "Done." };
  return { calls: [{ tool: "memory_write", args: { path, content: "ripe" } }] };
});

test("each of y, n and always answers the question that was asked, and always shows what it keeps first", async () => {
  await using terminal = new Terminal([process.execPath, bin, "chat"], env, 200);
  await terminal.until((text) => text.endsWith("\n>"), "it is there");
  for (const [index, [typed, decision, more]] of cases.entries()) {
    const name = `${typed}-pear.md`;
    terminal.type(`write ${name}\r`);
    await terminal.until((text) => text.includes(`"path": "${name}"`) && text.includes("y allows it"), "it asks");
    const kept = `{"tool":"memory_write","match":"${name}","decide":"allow"}`;
    expect(terminal.screen.text).toContain(kept);
    expect(readSettings(system.journal).permissions).toEqual([rule]);
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
    rule,
  ]);
  terminal.type("/quit\r");
  expect(await terminal.exited).toBe(0);
});

test("what was decided elsewhere takes no answer: what is typed then is for the agent", async () => {
  await using terminal = new Terminal([process.execPath, bin, "chat"], env, 200);
  await terminal.until((text) => text.endsWith("\n>"), "it is there");
  terminal.type("write elsewhere-pear.md\r");
  await terminal.until((text) => text.includes("elsewhere-pear.md") && text.includes("y allows it"), "it asks");
  const { id } = await asked("elsewhere-pear.md");
  expect((await runCortex(system.journal, ["permissions", "deny", id])).code).toBe(0);
  await system.until(() => listQuestions(system.journal).find((one) => one.id === id)?.decision, "it is decided");
  terminal.type("yes\r");
  await terminal.until((text) => text.includes("decided by now"), "it says so");
  await system.until(() => heard.some((text) => text.endsWith("yes")), "the agent hears it");
  expect(written("elsewhere-pear.md")).toBeNull();
  terminal.type("/quit\r");
  expect(await terminal.exited).toBe(0);
});
