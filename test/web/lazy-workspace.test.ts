/** The words to an operator about the workspaces' database. */
import { expect, test } from "vitest";
import type { Bus } from "../../bus/connection/connect.ts";
import { readWorkspaceState } from "../../journal/programs/workspace-state.ts";
import { logOf } from "../../proc/logging/log.ts";
import { LazyWorkspace } from "../../web/lazy-workspace.ts";
import { temporaryJournal } from "../journal/temporary-journal.ts";

function lazy(journal: string, databaseUrl?: string): LazyWorkspace {
  // No workspace is opened here: nothing asks the bus.
  const bus = {} as Bus;
  return new LazyWorkspace({ journal, databaseUrl, timeZone: "UTC", bus, log: logOf("test") });
}

test("a database that can't be reached is told with its reason and without its password, until it isn't used any more", async () => {
  using journal = temporaryJournal();
  await using away = lazy(journal.path, "postgres://cortex:secret-word@127.0.0.1:1/team");
  await expect(away.get()).rejects.toThrow();
  await expect.poll(() => readWorkspaceState(journal.path)).not.toBeNull();
  const state = readWorkspaceState(journal.path);
  expect(state?.problem).toContain("ECONNREFUSED");
  expect(state?.database).toContain("127.0.0.1:1/team");
  expect(JSON.stringify(state)).not.toContain("secret-word");
  await using unused = lazy(journal.path);
  await unused.openIfUsed();
  await expect.poll(() => readWorkspaceState(journal.path)?.problem).toBeNull();
});
