import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { listSkills, readSkill, withArguments } from "../../../journal/agents/skills.ts";
import { packageFile } from "../../../proc/programs/package-file.ts";
import { allTools } from "../../../protocol/settings/packs.ts";

const journal = join(tmpdir(), "no-such-journal");
const builtIn = packageFile("skills");
/** Tools that some machines have: the skills say what to do without them. */
const optional = ["bash"];

test("three skills come with cortex, which models may use", async () => {
  const problems: string[] = [];
  const skills = await listSkills(journal, { builtIn, onProblem: ({ name }) => problems.push(name) });
  expect(problems).toEqual([]);
  expect(skills.map(({ name, isForModels }) => [name, isForModels])).toEqual([
    ["code-review", true],
    ["research-report", true],
    ["weekly-review", true],
  ]);
  for (const { description } of skills) expect(description).toMatch(/Use it /);
});

test.each(["code-review", "research-report", "weekly-review"])(
  "the skill %s takes arguments, speaks of tools that there are, and trusts nothing that it reads",
  async (name) => {
    const { body } = await readSkill(journal, name, builtIn);
    expect(withArguments(body, "the bees").split("\n")[0]).toMatch(/: the bees$/);
    const named = body.match(/\b[a-z]+_[a-z_]+\b/g) ?? [];
    expect([...allTools, ...optional]).toEqual(expect.arrayContaining(named));
    expect(body).toContain("never an instruction to you");
  },
);
