/** Rules that every coding agent keeps to under Cortex: the same tests for the small one of the fixtures and for real programs. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isAlive } from "../../../proc/processes/identity.ts";
import { agentOf } from "../../../proc/runs/run.ts";
import { findSandbox } from "../../../sandbox/sandbox-level.ts";
import { attemptFolder } from "../../../journal/run-folders/run-folder.ts";
import { runCortex } from "../../scripts/run-command.ts";
import { coderTokens } from "../../support/coders/played-dialect.ts";
import { makeRepository } from "../../support/git-repository.ts";
import { usageIn } from "../../gateway/metered-system.ts";
import { coderTests } from "./coder-tests.ts";
import { callsIn, type CoderOptions, CoderSystem, realKey, resultOf, tryFetch } from "./coder-system.ts";

/**
 * @field keepsSession whether a run that goes on is in the session of the one before
 */
export type CoderRules = CoderOptions & { keepsSession: boolean };

/** Declares the tests of an agent. */
export function testCoder({ keepsSession, ...options }: CoderRules): void {
  describe(options.backend, () => {
    let system: CoderSystem;
    beforeAll(async () => {
      const rules = [
        { tool: "bash", match: "rm *", decide: "ask" },
        { tool: "bash", decide: "allow" },
      ];
      system = await CoderSystem.start({ ...options, settings: { permissions: rules } });
      makeRepository(system.folder, { "notes.md": "roses" });
    });
    afterAll(() => system[Symbol.asyncDispose]());

    const path = (name: string) => join(system.folder, name);

    test(coderTests.hello, async () => {
      const events = await system.run([{ say: "hello there" }]);
      expect(resultOf(events)).toBe("hello there");
      const keys = system.model.asked.map(
        ({ headers }) => headers["x-api-key"] ?? headers["x-goog-api-key"] ?? headers["authorization"],
      );
      expect(new Set(keys.map((key) => String(key).replace("Bearer ", "")))).toEqual(new Set([realKey]));
      const usage = usageIn(events);
      expect(usage.length).toBeGreaterThan(0);
      for (const one of usage) expect(one).toMatchObject({ purpose: "metered", input_tokens: coderTokens.input });
    });

    test(coderTests.calls, async () => {
      const steps = [
        { write: path("made.txt"), text: "hello" },
        { read: path("notes.md") },
        { run: "ls" },
        { say: "done" },
      ];
      const events = await system.run(steps);
      expect(resultOf(events)).toBe("done");
      const calls = callsIn(events);
      expect(calls.map(({ isError }) => isError)).toEqual([false, false, false]);
      expect(readFileSync(path("made.txt"), "utf8")).toBe("hello");
      expect(system.model.asked.at(-1)?.results.join()).toMatch(/roses.*made\.txt/s);
      expect(events.filter(({ event }) => event === "permission")).toEqual([]);
    });

    test(coderTests.denied, async () => {
      const id = await system.ask([{ run: `rm ${path("notes.md")}`, ask: true }, { say: "well then" }]);
      const asked = await system.decide(id, "deny");
      expect(asked).toMatchObject({ tool: "bash", why: "a rule asks about bash with rm *" });
      expect(JSON.stringify(asked["args"])).toContain("rm ");
      const events = await system.ended(id);
      expect(events.find(({ event }) => event === "finish")).toBeDefined();
      expect(existsSync(path("notes.md"))).toBe(true);
      expect(events.find(({ event }) => event === "permission_decided")).toMatchObject({ decision: "deny" });
    });

    test(coderTests.changes, async () => {
      const id = await system.ask([{ write: "plan.md", text: "beans" }, { say: "planned" }], { worktree: true });
      const events = await system.ended(id);
      expect(resultOf(events)).toBe("planned");
      expect(existsSync(path("plan.md"))).toBe(false);
      expect(events.find(({ event }) => event === "changes")).toMatchObject({ files: [{ path: "plan.md" }] });
      const applied = await runCortex(system.journal.path, ["changes", "apply", id]);
      expect(applied).toMatchObject({ code: 0 });
      expect(readFileSync(path("plan.md"), "utf8")).toBe("beans");
    });

    test(coderTests.continue, async () => {
      const first = await system.ask([{ say: "the word is heliotrope" }]);
      const before = await system.ended(first);
      const events = await system.run([{ say: "still here" }], { continue_from: first });
      expect(resultOf(events)).toBe("still here");
      expect(JSON.stringify(system.model.asked.at(-1)?.body)).toContain("heliotrope");
      const sessions = [before, events].map((of) => of.find(({ event }) => event === "finish")?.["session_id"]);
      expect(sessions[0] === sessions[1]).toBe(keepsSession);
      expect(events.filter(({ event }) => event === "text")).toEqual([]);
      // Somebody else goes on from the same answer: in a session of their own, with the record alone.
      const other = await system.run([{ say: "a branch" }], { continue_from: first });
      expect(resultOf(other)).toBe("a branch");
      const body = JSON.stringify(system.model.asked.at(-1)?.body);
      expect(body).toContain("heliotrope");
      expect(body).not.toContain("still here");
    });

    test(coderTests.cancel, async () => {
      const id = await system.ask([{ hold: "for-cancel" }]);
      await system.journal.until(
        () => system.model.asked.some(({ body }) => JSON.stringify(body).includes("for-cancel")),
        "it asks its model",
      );
      const agent = agentOf(attemptFolder(system.journal.path, id, 1));
      await system.cancel(id);
      const events = await system.ended(id);
      expect(events.find(({ event }) => event === "error")).toMatchObject({ reason: "cancelled" });
      expect(agent && isAlive(agent)).toBe(false);
    });

    test(coderTests.killed, async () => {
      const id = await system.ask([{ read: path("notes.md") }, { hold: "for-kill" }]);
      await system.journal.until(
        () =>
          system.model.asked.some(
            ({ body }) => JSON.stringify(body).includes("for-kill") && JSON.stringify(body).includes("roses"),
          ),
        "it asks its model",
      );
      const { restarts = 0 } = system.journal.program("cortex") ?? {};
      system.journal.kill("cortex");
      await system.journal.until(
        () => (system.journal.program("cortex")?.restarts ?? 0) > restarts && system.journal.isReady("cortex"),
        "cortex is back",
      );
      system.model.release("for-kill");
      const events = await system.ended(id);
      expect(resultOf(events)).toBe("held");
      expect(events.filter(({ event }) => event === "start")).toHaveLength(1);
    });

    test(coderTests.cap, async () => {
      const steps = [1, 2, 3, 4].map(() => ({ read: path("notes.md") }));
      const before = system.model.asked.length;
      const events = await system.run([...steps, { say: "too far" }], { max_total_tokens: coderTokens.input });
      expect(events.find(({ event }) => event === "error")).toMatchObject({ reason: "budget" });
      expect(system.model.asked.slice(before).every(({ results }) => results.length === 0)).toBe(true);
    });

    test(coderTests.cost, async () => {
      const steps = [1, 2, 3, 4].map(() => ({ read: path("notes.md") }));
      const before = system.model.asked.length;
      const events = await system.run([...steps, { say: "too dear" }], { max_cost_usd: 0.000_001 });
      expect(events.find(({ event }) => event === "error")).toMatchObject({ reason: "budget" });
      expect(system.model.asked.slice(before).every(({ results }) => results.length === 0)).toBe(true);
      for (const { cost_usd } of usageIn(events)) expect(cost_usd).toBeGreaterThan(0);
    });

    test(coderTests.tools, async () => {
      const events = await system.run([{ tool: "current_time" }, { say: "it is late" }], { tools: ["current_time"] });
      expect(resultOf(events)).toBe("it is late");
      expect(system.model.asked.at(-1)?.results.join()).toMatch(/20\d\d-\d\d-\d\d/);
      expect(events.filter(({ event }) => event === "permission")).toEqual([]);
    });

    test.skipIf(found.level === "none")(coderTests.wall, async () => {
      const steps = [
        { write: path("inside.txt"), text: "in" },
        { run: `env; ${tryFetch(system.model.url)}` },
        { say: "walled" },
      ];
      const events = await system.run(steps, { sandbox: "required" });
      expect(resultOf(events)).toBe("walled");
      expect(events.filter(({ event }) => event === "permission")).toEqual([]);
      expect(readFileSync(path("inside.txt"), "utf8")).toBe("in");
      const results = system.model.asked.at(-1)?.results.join() ?? "";
      expect(results).toContain("no way");
      expect(results).not.toContain(realKey);
    });
  });
}

const found = await findSandbox();
