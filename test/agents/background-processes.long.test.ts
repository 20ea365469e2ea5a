/** Background processes of a long-lived agent, with a whole `cortex up`: they end with its conversation, and it is told when they end by themselves. */
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { findSandbox } from "../../sandbox/sandbox-level.ts";
import { expectQuiet } from "../support/expect-quiet.ts";
import { AgentsSystem, type Mind } from "./agents-system.ts";

const found = await findSandbox();

describe.skipIf(found.level === "none")("an agent with commands", async () => {
  const system = await AgentsSystem.start(
    {},
    { "personas/main.txt": "You have hands.", "personas/main.json": JSON.stringify({ tools: "exec" }) },
  );
  afterAll(() => system[Symbol.asyncDispose]());
  const alpha = await system.channel("alpha");

  /** Starts a command in the background, once, and then says something. */
  const starter =
    (command: string): Mind =>
    ({ results, messages }) =>
      messages.length > 1 || results.length > 0
        ? { text: "It runs." }
        : { calls: [{ tool: "bash", args: { command, background: true } }] };

  const ticking = "while :; do echo x >>ticks; sleep 0.05; done";
  const inWork = (agent: string, name: string) => join(system.journal, "agents", agent, "work", name);
  const sizeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

  test("a reset ends its processes", async () => {
    system.think("tick-room", starter(ticking));
    await alpha.say("tick", { channelId: "tick-room" });
    const agent = await system.main("tick-room");
    await system.turns(agent, 1);
    const ticks = inWork(agent, "ticks");
    const before = sizeOf(ticks);
    // It outlives the turn.
    await system.until(() => sizeOf(ticks) > before, "it goes on");
    await system.command("agents reset", { agent_id: agent });
    await expectQuiet(() => sizeOf(ticks));
  });

  test("one that ends by itself is told to it, which wakes it", async () => {
    system.think("told-room", starter("until [ -e go ]; do sleep 0.05; done; exit 3"));
    await alpha.say("wait", { channelId: "told-room" });
    const agent = await system.main("told-room");
    await system.turns(agent, 1);
    writeFileSync(inWork(agent, "go"), "");
    await system.until(
      () => system.systemMessages(agent).some((text) => /background process p1 .*exit code 3/.test(text)),
      "it is told",
    );
    await system.turns(agent, 2);
    const told = system.systemMessages(agent).filter((text) => text.includes("background process p1"));
    expect(told).toHaveLength(1);
  });

  test("the death of the tool server ends its processes, and that of cortex does not", async () => {
    system.think("kill-room", starter(ticking));
    await alpha.say("tick", { channelId: "kill-room" });
    const agent = await system.main("kill-room");
    await system.turns(agent, 1);
    const ticks = inWork(agent, "ticks");
    process.kill(system.pidOf("cortex"), "SIGKILL");
    await system.restart();
    const before = sizeOf(ticks);
    await system.until(() => sizeOf(ticks) > before, "it goes on");
    process.kill(system.pidOf("mcp-tools"), "SIGKILL");
    await expectQuiet(() => sizeOf(ticks));
    expect(readFileSync(ticks, "utf8")).toMatch(/^(x\n)+$/);
    await system.restart();
  });
});
