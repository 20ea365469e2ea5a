/** The handling of a result is told to whoever asked, and a run that cortex was stopped with isn't said to run. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { fixtureAgent } from "../../support/cortex-system.ts";
import { UpJournal } from "../../supervisor/up-process.ts";
import { runCortex, runCortexJson } from "../run-command.ts";

test("the saved file, the handed-on run, a label that nobody has and a run that waits to be taken up are told", async () => {
  const answer = { command: ["sh", "-c", `read line; echo '{"event":"finish","result":"Done."}'`] };
  const backends = { answer, counter: fixtureAgent("counter") };
  await using journal = new UpJournal({ backends, stop_grace_seconds: 0.2 });
  await journal.start().isUp();
  const args = ["request", "-b", "answer", "--save", "note.md", "--handoff", "reviewer:Look at it", "Hello"];
  const asked = await runCortex(journal.path, args);
  expect(asked).toMatchObject({ code: 0, stdout: "Done." });
  const [, saved = ""] = /^saved (.*note\.md)$/m.exec(asked.stderr) ?? [];
  expect(existsSync(saved)).toBe(true);
  const [, child = ""] = /^handed on to (\d{13}); follow it: cortex runs tail \1$/m.exec(asked.stderr) ?? [];
  const shown = await runCortexJson(journal.path, ["runs", "show", child]);
  expect(shown.document).toMatchObject({ run: { persona: "reviewer", prompt: "Look at it" } });
  const labelled = await runCortex(journal.path, ["request", "--set", 'labels=["gpu"]', "--detach", "Hello"]);
  expect(labelled.stderr).toContain('no worker has the label "gpu"');
  const run = await journal.count();
  const stateOf = async () => {
    const { document } = await runCortexJson(journal.path, ["runs", "list"]);
    return (document as { runs: { agent_id: string; state: string }[] }).runs.find(
      ({ agent_id }) => agent_id === run.agentId,
    )?.state;
  };
  expect(await stateOf()).toBe("running");
  await runCortex(journal.path, ["down"]);
  expect(await stateOf()).toBe("queued");
  expect(existsSync(join(journal.path, ".run/endpoints.json"))).toBe(false);
});
