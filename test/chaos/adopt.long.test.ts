/** The promise that a run outlives cortex, under random kills. `CHAOS_KILLS` says how many. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import { attemptFolder } from "../../journal/run-folders/run-folder.ts";
import { agentOf } from "../../proc/runs/run.ts";
import { isTerminal } from "../../protocol/runs/event.ts";
import { CortexSystem, fixtureAgent } from "../support/cortex-system.ts";

const kills = Number(process.env["CHAOS_KILLS"] ?? 5);
const agents = 10;
/** A kill falls within so long of a start, or of its end: adoption comes in between. */
const startMs = 600;
const readyMs = 300;

test(`cortex is killed with -9 ${kills} times while ten runs write, and each run ends as it would have`, {
  timeout: 300_000 + kills * 3000,
}, async () => {
  await using system = await CortexSystem.start({
    settings: { max_concurrent: agents, default_backend: "counter", backends: { counter: fixtureAgent("counter") } },
  });
  const births = (id: string) => join(system.journal, `births-${id}`);
  const ids = Array.from({ length: agents }, () => {
    const id = system.nextId();
    return system.request({ prompt: JSON.stringify({ file: births(id), everyMs: 10 }) }, id);
  });
  for (const id of ids) await system.heard(id, "text");
  const agentIn = (id: string) => agentOf(attemptFolder(system.journal, id, 1));
  const born = ids.map(agentIn);

  let said = 0;
  let ready = 0;
  const liveOnce = async () => {
    try {
      await system.startCortex();
    } catch {
      return; // killed before it was ready
    }
    // Not in each life: what is written because of an input also notes how far the output was read.
    if (ready++ % 3 === 0) for (const id of ids) system.input(id, String(++said));
  };
  await system.killCortex();
  for (let kill = 1; kill < kills; kill++) {
    const living = liveOnce();
    if (kill % 2 === 0) await living;
    await delay(Math.random() * (kill % 2 === 0 ? readyMs : startMs));
    await system.killCortex();
    await living;
  }
  await system.startCortex();
  expect(ids.map(agentIn)).toEqual(born);
  for (const id of ids) system.input(id, "end");

  let lines = 0;
  for (const id of ids) {
    const file = await system.ended(id);
    await system.until(() => system.of(id).length >= file.length, `all events of ${id} on the bus`);
    lines += file.length;
    expect(file.map(({ seq }) => seq)).toEqual(file.map((_, index) => index + 1));
    expect(system.of(id), `the bus has the events of the file, once and in order (${id})`).toEqual(file);

    const of = (name: string) => file.filter(({ event }) => event === name);
    const texts = of("text").map(({ text }) => String(text));
    const counted = texts.filter((text) => !text.startsWith("heard"));
    const heard = texts.filter((text) => text.startsWith("heard")).map((text) => text.slice("heard ".length));
    expect(file.slice(0, 2).map(({ event }) => event)).toEqual(["request", "start"]);
    expect(of("request").length + of("start").length).toBe(2);
    expect(counted).toEqual(counted.map((_, index) => String(index + 1)));
    expect(file.filter(isTerminal)).toHaveLength(1);
    expect(file.at(-1)).toMatchObject({ event: "finish", result: String(counted.length) });
    expect(new Set(heard).size, "no input was given twice").toBe(heard.length);
    expect(of("input").map(({ text }) => text)).toEqual(expect.arrayContaining([...heard, "end"]));
    expect(of("adopted").length).toBeGreaterThan(0);
    expect(readFileSync(births(id), "utf8"), "one agent was started").toBe("started\n");
  }
  process.stdout.write(
    `chaos: ${kills} kills, ${ready} of them of a ready cortex, ${lines} events in ${agents} runs, each once\n`,
  );
});
