/** `cortex skills`, `cortex memory` and `cortex persona put`: texts that agents read, written at the terminal. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runCortex, runCortexJson } from "../../run-command.ts";

let journal: string;
beforeAll(() => {
  journal = mkdtempSync(join(tmpdir(), "edited-texts-"));
  mkdirSync(join(journal, "given"));
});
afterAll(() => rmSync(journal, { recursive: true }));

function given(name: string, text: string): string {
  const path = join(journal, "given", name);
  writeFileSync(path, text);
  return path;
}
const written = (...path: string[]) => readFileSync(join(journal, ...path), "utf8");
const versionIn = (document: Record<string, unknown>, of: string) => (document[of] as { version: string }).version;

test("a skill is made, shown, and changed only by who has read it as it is", async () => {
  const text = "---\nname: tides\ndescription: Tides of Elmsund.\n---\nLow water at 06:10.\n";
  const made = await runCortexJson(journal, ["skills", "put", "tides", given("tides.md", text), "--json"]);
  expect([made.code, written("skills/tides/SKILL.md")]).toEqual([0, text]);
  const { stdout } = await runCortex(journal, ["skills", "show", "tides"]);
  expect(stdout).toBe(text.trimEnd());
  const version = versionIn(made.document, "skill");
  const next = given("next.md", text.replace("06:10", "06:40"));
  expect(await runCortex(journal, ["skills", "put", "tides", next, "--version", version])).toMatchObject({ code: 0 });
  const late = await runCortex(journal, ["skills", "put", "tides", given("late.md", text), "--version", version]);
  expect(late).toMatchObject({ code: 3, stderr: expect.stringContaining("was changed since you read it") });
  expect(written("skills/tides/SKILL.md")).toContain("06:40");
  expect((await runCortexJson(journal, ["skills", "list"])).document["skills"]).toContainEqual({
    name: "tides",
    description: "Tides of Elmsund.",
    source: "journal",
  });
});

test("a skill that no agent could read isn't written, and a misspelt name is told", async () => {
  const wrong = await runCortex(journal, ["skills", "put", "broken", given("broken.md", "no head\n")]);
  expect([wrong.code, existsSync(join(journal, "skills/broken"))]).toEqual([2, false]);
  const near = await runCortex(journal, ["skills", "show", "code-reviev"]);
  expect(near).toMatchObject({ code: 2, stderr: expect.stringContaining('did you mean "code-review"?') });
});

test("a file of the memory is made and changed, and none outside of it", async () => {
  const made = await runCortexJson(journal, ["memory", "put", "people/anna.md", given("anna.md", "Tea.\n"), "--json"]);
  expect([made.code, written("memory/people/anna.md")]).toEqual([0, "Tea.\n"]);
  const again = ["memory", "put", "people/anna.md", given("more.md", "Tea and honey.\n"), "--version"];
  expect(await runCortex(journal, [...again, versionIn(made.document, "file")])).toMatchObject({ code: 0 });
  expect(await runCortex(journal, [...again, versionIn(made.document, "file")])).toMatchObject({ code: 3 });
  expect((await runCortex(journal, ["memory", "show", "people/anna.md"])).stdout).toBe("Tea and honey.");
  const out = await runCortex(journal, ["memory", "put", "../cortex.json", given("out.md", "{}")]);
  expect([out.code, existsSync(join(journal, "cortex.json"))]).toEqual([2, false]);
});

test("a persona is made and changed by a version, and one that couldn't be used isn't written", async () => {
  const text = given("chef.txt", "You cook.\n");
  const made = await runCortexJson(journal, ["persona", "put", "chef", "--text", text, "--json"]);
  expect([made.code, written("personas/chef.txt")]).toEqual([0, "You cook.\n"]);
  const version = String(made.document["version"]);
  const settings = given("chef.json", '{"title":"Chef"}');
  const change = ["persona", "put", "chef", "--settings", settings, "--version", version];
  expect(await runCortex(journal, change)).toMatchObject({ code: 0 });
  expect(JSON.parse(written("personas/chef.json"))).toEqual({ title: "Chef" });
  expect(await runCortex(journal, change)).toMatchObject({ code: 3 });
  const wrong = await runCortex(journal, ["persona", "put", "chef", "--settings", given("w.json", '{"save":"../x"}')]);
  expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining("save: expected a file name") });
  const { document } = await runCortexJson(journal, ["persona", "versions", "chef"]);
  expect(document["versions"]).toHaveLength(2);
});
