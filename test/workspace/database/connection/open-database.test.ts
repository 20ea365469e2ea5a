/** The database's own settings: what is stored outlives a loss of power, and readers don't wait for the writer. */
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { openWorkspaceStore } from "../../../../workspace/database/changes/store.ts";

test("a workspace's file is written ahead, synced in full, checks its references, and is its owner's alone", async () => {
  const folder = mkdtempSync(join(tmpdir(), "workspace-"));
  try {
    const file = join(folder, "workspace.db");
    await using store = await openWorkspaceStore({ file });
    const valueOf = async (pragma: string) => {
      const { rows } = await sql<Record<string, unknown>>`${sql.raw(`PRAGMA ${pragma}`)}`.execute(store.database);
      return Object.values(rows[0] ?? {})[0];
    };
    expect(await valueOf("journal_mode")).toBe("wal");
    const full = 2;
    expect(await valueOf("synchronous")).toBe(full);
    expect(await valueOf("foreign_keys")).toBe(1);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
