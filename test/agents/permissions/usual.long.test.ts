/** Commands in whole systems as rules leave them where there is none: allowed in a sandbox, asked about without one. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { AgentEvent } from "../../../protocol/runs/event.ts";
import { findSandbox } from "../../../sandbox/sandbox-level.ts";
import { runCortex, runCortexJson } from "../../scripts/run-command.ts";
import { JournalClient } from "../../support/journal-client.ts";
import { AgentsSystem, type Mind } from "../agents-system.ts";

class Client extends JournalClient {
  readonly log = "";
}

let system: AgentsSystem;
let client: Client;

/** Starts a system for the tests of a group. */
function startSystem(settings: Record<string, unknown>, files: Record<string, string> = {}): void {
  beforeAll(async () => {
    system = await AgentsSystem.start(settings, files);
    client = new Client(system.journal, await system.up.client());
  });
  afterAll(() => system[Symbol.asyncDispose]());
}

const eventsOf = (run: string, name: string) => client.file(run).filter(({ event }) => event === name);
const endOf = (run: string): Promise<AgentEvent> =>
  system.until(() => client.file(run).find(({ event }) => ["finish", "error"].includes(event)), `${run} ends`);

/** Runs a command, and says what it was told. */
const runner =
  (command: string): Mind =>
  ({ results: [result] }) =>
    result ? { text: `I was told: ${result.text}` } : { calls: [{ tool: "bash", args: { command } }] };

const found = await findSandbox();

describe.skipIf(found.level === "none")("in a sandbox", () => {
  startSystem(
    { loop_limit: 3 },
    {
      "personas/plumber.txt": "Look at the pipes.",
      "personas/plumber.json": JSON.stringify({ schedule: "daily", missed: "skip", tools: "exec" }),
    },
  );

  test("one tool that a request names is all that its model is offered, and a command runs unasked", async () => {
    system.think("pipe-1", runner("echo $((6 * 7)) made"));
    const run = client.request({ prompt: "do pipe-1", tools: ["bash"] });
    expect((await endOf(run))["result"]).toContain("42 made");
    const offered = system.askedOf("pipe-1").map(({ tools }) => tools);
    expect(offered).toEqual([["bash"], ["bash"]]);
    expect(eventsOf(run, "permission")).toEqual([]);
  });

  test("a scheduled run has commands, too", async () => {
    const day = "20260107";
    system.think(day, runner("echo $((6 * 8)) by schedule"));
    const { document } = await runCortexJson(system.journal, ["schedule", "run", "--day", day, "--persona", "plumber"]);
    const [{ agent_id: run } = { agent_id: "" }] = document["units"] as { agent_id: string }[];
    expect(await endOf(run)).toMatchObject({ event: "finish", result: expect.stringContaining("48 by schedule") });
    expect(eventsOf(run, "tool_end")).toEqual([
      expect.objectContaining({ is_error: false, result: expect.stringContaining('"sandbox":true') }),
    ]);
    expect(eventsOf(run, "permission")).toEqual([]);
  });

  test("the settings' loop_limit is how many equal calls are a loop", async () => {
    const again = { calls: [{ tool: "list_facets", args: {} }] };
    system.think("pipe-2", () => again);
    const run = client.request({ prompt: "do pipe-2", tools: ["list_facets"] });
    expect(await endOf(run)).toMatchObject({
      event: "error",
      reason: "loop",
      error: expect.stringContaining("the same call 3 times in a row (list_facets)"),
    });
    expect(eventsOf(run, "tool_end").filter(({ is_error }) => is_error === false)).toHaveLength(2);
  });
});

describe("without a sandbox", () => {
  startSystem({ sandbox: "off" });

  test.each(["allow", "deny"])("a command waits for a person: %s", async (decision) => {
    system.think(`tap-${decision}`, runner("echo $((6 * 7)) made"));
    const run = client.request({ prompt: `do tap-${decision}`, tools: ["bash"] });
    const asked = await system.until(() => eventsOf(run, "permission")[0], "it asks");
    expect(asked).toMatchObject({
      tool: "bash",
      args: { command: "echo $((6 * 7)) made" },
      why: "what it runs isn't in a sandbox",
    });
    expect(eventsOf(run, "tool_end")).toEqual([]);
    expect(await runCortex(system.journal, ["permissions", decision, String(asked["id"])])).toMatchObject({ code: 0 });
    const { result } = await endOf(run);
    expect(result).toContain(decision === "allow" ? "42 made" : "bash denied by cli:main");
    expect(String(result).includes("42 made")).toBe(decision === "allow");
  });
});
