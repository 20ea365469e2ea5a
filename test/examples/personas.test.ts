import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { loadPersonas } from "../../personas/load.ts";
import { expandTools } from "../../protocol/settings/packs.ts";

test("the example personas can be used as they are, and their tools are there", () => {
  const journal = mkdtempSync(join(tmpdir(), "example-personas-"));
  cpSync(join(import.meta.dirname, "../../examples/personas"), join(journal, "personas"), { recursive: true });
  const { personas, problems, warnings } = loadPersonas(journal);
  rmSync(journal, { recursive: true });
  expect([problems, warnings]).toEqual([[], []]);
  const fixer = personas.get("fixer");
  expect(fixer?.settings).toMatchObject({ sandbox: "required", worktree: true, task: true });
  expect(expandTools(fixer?.settings.tools)).toMatchObject({
    unknown: [],
    names: expect.arrayContaining(["bash", "write"]),
  });
});
