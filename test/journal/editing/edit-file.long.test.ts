/** Changes of a file by processes that are killed, and repeated. */
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { addTodo, todosOf } from "../../../journal/entries/todos.ts";
import { facetJournal } from "../facet-journal.ts";
import { agentId } from "../temporary-journal.ts";

const day = "20250118";
const fixture = fileURLToPath(new URL("../../fixtures/add-todos.ts", import.meta.url));

test("a call that is repeated has been made once, at whatever moment its process was killed", async () => {
  using journal = facetJournal();
  const keyOf = (text: string) => ({ agent_id: agentId, digest: createHash("sha256").update(text).digest("hex") });
  const add = (text: string) => addTodo(journal.path, "garden", day, text, keyOf(text));
  const count = 40;
  for (const [round, killAfter] of [3, 11, 20, 31].entries()) {
    const child = spawn(process.execPath, [fixture, journal.path, day, `round ${round}`, String(count)], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const ended = once(child, "exit");
    let told = 0;
    child.stdout.on("data", (chunk: Buffer) => {
      told += chunk.toString().split("\n").length - 1;
      // Somewhere within the next call.
      if (told >= killAfter) setTimeout(() => child.kill("SIGKILL"), (round + 1) / 2);
    });
    await ended;
    for (let number = 0; number < count; number++) await add(`round ${round} ${number}`);
  }
  const expected = Array.from(
    { length: 4 * count },
    (_, index) => `round ${Math.floor(index / count)} ${index % count}`,
  );
  expect(todosOf(journal.path, "garden", day).todos.map(({ text }) => text)).toEqual(expected);
});
