/** A whole `cortex up` for editors: a folder in which runs may work, a backend that does what its prompt says, and a played model. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AgentsSystem } from "../agents/agents-system.ts";
import { fixtureAgent } from "../support/cortex-system.ts";

export type AcpSystem = AsyncDisposable & {
  system: AgentsSystem;
  journal: string;
  /** The editor's project. */
  project: string;
};

export async function startAcp(settings: Record<string, unknown> = {}): Promise<AcpSystem> {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "cortex-project-")));
  const project = join(home, "garden");
  mkdirSync(project);
  const system = await AgentsSystem.start(
    {
      default_backend: "anthropic",
      default_model: { anthropic: "claude-haiku-4-5" },
      backends: { scripted: fixtureAgent("scripted") },
      folders: [home],
      sandbox: "off",
      ...settings,
    },
    {
      "personas/player.txt": "Do what you are told.\n",
      "personas/player.json": JSON.stringify({ title: "Player", backend: "scripted" }),
      "personas/coder.txt": "Write code.\n",
      "personas/coder.json": JSON.stringify({ title: "Coder", tools: "files, exec, todo" }),
      "personas/digger.txt": "Dig.\n",
      "personas/digger.json": JSON.stringify({ tools: "files", worktree: true }),
      "personas/reader.txt": "Answer from the notes.\n",
      "personas/reader.json": JSON.stringify({ backend: "offline" }),
      "20260101/notes.md": "The pumpkins grow behind the shed.\n",
      "personas/off.txt": "Nothing.\n",
      "personas/off.json": JSON.stringify({ disabled: true }),
      "facets/garden/facet.json": JSON.stringify({
        title: "Garden",
        description: "",
        color: "",
        emoji: "",
        muted: false,
      }),
    },
  );
  return {
    system,
    journal: system.up.path,
    project,
    [Symbol.asyncDispose]: async () => {
      await system[Symbol.asyncDispose]();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

/** A prompt for the persona `player`: it emits these events. */
export const steps = (...events: object[]) => JSON.stringify(events.map((ev) => ({ ev })));

export const usage = { input_tokens: 12, output_tokens: 5, cost_usd: 0.25 };

export const answering = (result: string) => steps({ event: "start", model: "m" }, { event: "finish", result, usage });

/** A prompt for `player` that says something, waits until `go`, and finishes. */
export const waitingIn = (journal: string, name: string) => ({
  go: () => writeFileSync(join(journal, name), ""),
  prompt: JSON.stringify([
    { ev: { event: "start", model: "m" } },
    { ev: { event: "text", text: `Begun ${name}.` } },
    { await: join(journal, name) },
    { ev: { event: "finish", result: `Done ${name}.`, usage } },
  ]),
});
