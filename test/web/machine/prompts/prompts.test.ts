/**
 * The first messages sent to a run's model: over HTTP and at the terminal exactly what its process read, secrets aside.
 */
import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runState } from "../../../../journal/runs/run-files.ts";
import { noteSentPrompt, sentPrompt, sweepSentPrompts } from "../../../../journal/sent-prompts/sent-prompts.ts";
import type { RunPrompt } from "../../../../web/machine/records/run-records.ts";
import { runCortex, runCortexJson } from "../../../scripts/run-command.ts";
import { fixtureAgents } from "../../../support/cortex-system.ts";
import { isTerminal } from "../../../../protocol/runs/event.ts";
import { type MachineSystem, startMachine } from "../machine-system.ts";

const token = "a-token-that-nobody-may-see";
const facet = JSON.stringify({ title: "The garden", description: "Beds and beans." });

let machine: MachineSystem;
beforeAll(async () => {
  machine = await startMachine({
    settings: fixtureAgents("scripted"),
    files: {
      "facets/garden/facet.json": facet,
      "personas/digest.txt": `Sum up. The door opens with ${token}.`,
      "personas/digest.json": "{}",
    },
  });
});
afterAll(() => machine[Symbol.asyncDispose]());

const get = <T>(path: string) => machine.api.owner.get<T>(path);

async function ended(fields: Record<string, unknown>): Promise<{ id: string; result: string }> {
  const id = machine.system.request({ prompt: JSON.stringify([{ config: true }]), ...fields });
  const end = await machine.system.until(() => machine.system.file(id).find(isTerminal), "it has ended");
  await machine.system.until(() => runState(machine.system.journal, id) === "ended", "its file is closed");
  return { id, result: String(end["result"]) };
}

/** A run that says what it read. */
async function asked(fields: Record<string, unknown>): Promise<{ id: string; read: Record<string, unknown> }> {
  const { id, result } = await ended(fields);
  return { id, read: JSON.parse(result) as Record<string, unknown> };
}

test("the instruction and the context are those that its process read, also when the persona has changed since", async () => {
  const { id, read } = await asked({ persona: "digest", facet: "garden", env: { DOOR_TOKEN: token } });
  writeFileSync(join(machine.system.journal, "personas/digest.txt"), "Do something else.");
  const sent = await get<RunPrompt>(`/runs/${id}/prompt`);
  expect(sent).toEqual({
    instruction: read["instruction"],
    context: read["extra_context"],
    origin: "sent",
    messages: [],
    is_whole: true,
    prompt: read["prompt"],
  });
  expect(sent.instruction).toBe("Sum up. The door opens with ***.");
  expect(sent.context).toContain('The facet in question: garden, "The garden".\nBeds and beans.');
  expect(JSON.stringify(sent)).not.toContain(token);
  const { document } = await runCortexJson(machine.system.journal, ["runs", "prompt", id]);
  expect(document).toEqual(sent);
  const { stdout } = await runCortex(machine.system.journal, ["runs", "prompt", id]);
  expect(stdout).toContain("== Instruction ==\nSum up. The door opens with ***.");
  expect(stdout).toContain("== Prompt ==");
});

test("what was said before is the conversation of the runs that it continues", async () => {
  const first = await ended({ prompt: "the beans \u202ein spring" });
  const { id, read } = await asked({ continue_from: first.id });
  const sent = await get<RunPrompt>(`/runs/${id}/prompt`);
  expect(sent.messages).toEqual(read["history"]);
  expect(sent.messages.map(({ role }) => role)).toEqual(["user", "assistant"]);
  expect(sent.is_whole).toBe(true);
});

test("the prompt of a run that nobody noted here is what the persona says by now, and says so", async () => {
  const { journal } = machine.system;
  const { id } = await asked({ persona: "digest" });
  expect((await get<RunPrompt>(`/runs/${id}/prompt`)).origin).toBe("sent");
  rmSync(join(journal, ".state/prompts"), { recursive: true });
  const rebuilt = { origin: "rebuilt", instruction: "Do something else.", context: null };
  expect(await get(`/runs/${id}/prompt`)).toMatchObject(rebuilt);
  rmSync(join(journal, "personas/digest.txt"));
  rmSync(join(journal, "personas/digest.json"));
  expect(await get(`/runs/${id}/prompt`)).toMatchObject({ origin: "unknown", instruction: null });
  expect((await machine.api.owner.call("GET", "/runs/1700000000000/prompt")).status).toBe(404);
});

test("notes go with the last run of their day, texts when no day has them", async () => {
  const { journal } = machine.system;
  const { id } = await asked({ persona: "default" });
  const [gone, text] = ["1700000000000", { instruction: "Of a run that is gone.", context: "" }];
  noteSentPrompt(journal, gone, text);
  expect(sentPrompt(journal, gone)).toEqual(text);
  sweepSentPrompts(journal, Date.now() + 10 * 86_400_000);
  expect(sentPrompt(journal, gone)).toBeNull();
  expect(sentPrompt(journal, id)).not.toBeNull();
  expect(readdirSync(join(journal, ".state/prompts/texts"))).toHaveLength(1);
});
