/** `cortex acp` on a journal on which nothing runs: what it says, and what it can do all the same. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { writeSession } from "../../journal/editor-sessions/session-store.ts";
import { Editor } from "./editor.ts";

const journal = mkdtempSync(join(tmpdir(), "cortex-acp-"));
afterAll(() => rmSync(journal, { recursive: true, force: true }));

const id = "7c9e6679-7425-40de-944b-e07fc1f90ae7";
await writeSession(journal, {
  id,
  cwd: "/garden",
  title: "Beans",
  updated: 1_795_891_532_360,
  mode: "default",
  model: "default",
  effort: "default",
  runs: [],
});

test("a session that can't be begun says what to do; those that were there are listed", async () => {
  await using editor = await Editor.start(journal);
  await expect(editor.newSession("/garden")).rejects.toMatchObject({
    code: -32_603,
    message: expect.stringMatching(/nothing runs on .*cortex up$/),
    data: { reason: "unavailable" },
  });
  const { sessions } = await editor.agent.request("session/list", {});
  expect(sessions).toEqual([{ sessionId: id, cwd: "/garden", title: "Beans", updatedAt: "2026-11-28T18:45:32.360Z" }]);
});
