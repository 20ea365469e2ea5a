/**
 * The requests that can't become a run are answered: with the field, the value and what was expected, and without
 * secrets.
 */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { CortexSystem, fixtureAgents } from "../../support/cortex-system.ts";

const system = await CortexSystem.start({
  settings: { ...fixtureAgents("forever"), max_concurrent: 1, max_queued: 2 },
});
afterAll(() => system[Symbol.asyncDispose]());

const secret = "s3cr3t-value";

const refused: [what: string, message: unknown, ...expected: string[]][] = [
  ["no JSON", "hello", "not JSON"],
  ["an empty message", "", "not JSON"],
  ["broken JSON with a secret", `{"prompt":"x","env":{"KEY":"${secret}"},}`, "not JSON"],
  ["broken JSON in the midst of a secret", `{"env":{"KEY":"x"},"a":${secret}}`, "not JSON"],
  ["broken JSON right behind a secret", `{"env":{"KEY":"${secret}"oops`, "not JSON"],
  ["an array", [{ prompt: "x", env: { KEY: secret } }], "a JSON object", "an array"],
  ["null", "null", "a JSON object", "null"],
  ["a number", "42", "a JSON object", "number"],
  ["no prompt", { persona: "default" }, "prompt"],
  ["a blank prompt", { prompt: " \n\t" }, "prompt", "not blank"],
  ["a prompt that is null", { prompt: null }, "prompt"],
  ["a prompt that is a number", { prompt: 42 }, "prompt", "string", "42"],
  ["an id that is not a number", { prompt: "x", ts: "1736380800000" }, "ts", "1736380800000"],
  ["an id that is too short", { prompt: "x", ts: 123 }, "ts", "123"],
  ["an id that is not a whole number", { prompt: "x", ts: 1736380800000.5 }, "ts", "1736380800000.5"],
  ["an id that is a path", { prompt: "x", agent_id: "../evil" }, "agent_id", "../evil", "13 digits"],
  ["two ids", { prompt: "x", ts: 1736380800000, agent_id: "1736380800001" }, "agent_id", "the same digits as ts"],
  ["tools of a wrong type", { prompt: "x", tools: 42 }, "tools", "42"],
  ["a timeout of nothing", { prompt: "x", timeout_seconds: 0 }, "timeout_seconds", "0"],
  ["a timeout in words", { prompt: "x", timeout_seconds: "fast" }, "timeout_seconds", "number", "fast"],
  ["a negative idle timeout", { prompt: "x", idle_timeout_seconds: -1 }, "idle_timeout_seconds", "-1"],
  ["half a token", { prompt: "x", max_total_tokens: 1.5 }, "max_total_tokens", "1.5"],
  ["a cost in words", { prompt: "x", max_cost_usd: "much" }, "max_cost_usd", "much"],
  ["half a priority", { prompt: "x", priority: 0.5 }, "priority", "0.5"],
  ["a flag in words", { prompt: "x", stream: "yes" }, "stream", "yes"],
  ["disable_mcp in words", { prompt: "x", disable_mcp: "no" }, "disable_mcp", "no"],
  ["a server that is no URL", { prompt: "x", mcp_server_url: "here" }, "mcp_server_url", "here"],
  ["an env that is a text", { prompt: "x", env: secret }, "env"],
  ["an env value that is a number", { prompt: "x", env: { KEY: 42424242 } }, "env.KEY", "string"],
  ["an env inside a handoff", { prompt: "x", handoff: { env: { KEY: [secret] } } }, "handoff.env.KEY"],
  ["a handoff that is a list", { prompt: "x", handoff: [{ env: { KEY: secret } }] }, "handoff"],
  ["a handoff with a bad limit", { prompt: "x", handoff: { timeout_seconds: "x" } }, "handoff.timeout_seconds"],
  ["a handoff_from that is a path", { prompt: "x", handoff_from: "../x" }, "handoff_from", "../x"],
  ["a continue_from that is a number", { prompt: "x", continue_from: 1736380800000 }, "continue_from"],
  ["a secret that stands elsewhere, too", { prompt: "x", env: { KEY: secret }, timeout_seconds: secret }, "timeout"],
  ["another event", { prompt: "x", event: "finish" }, "event", "finish"],
];

describe("refused, on cortex.rejected and to whoever asked:", () => {
  test.each(refused)("%s", async (_, message, ...expected) => {
    const before = system.rejected.length;
    const answer = await system.answerTo(message);
    expect(answer).toMatchObject({ error: expect.any(String), reason: "invalid" });
    for (const word of expected) expect(answer["error"]).toContain(word);
    const heard = await system.until(() => system.rejected[before], "the refusal is on cortex.rejected");
    expect(heard).toEqual(answer);
    expect(JSON.stringify(answer)).not.toContain(secret);
    expect(JSON.stringify(answer)).not.toContain("42424242");
  });

  test("refused requests write nothing, inside the journal or out of it", () => {
    expect(existsSync(join(system.journal, "runs"))).toBe(false);
    expect(readdirSync(join(system.journal, "..")).filter((name) => name.includes("evil"))).toEqual([]);
    expect(system.log).not.toContain(secret);
  });
});

test("a refusal shows the request as it arrived, with the values of env hidden", async () => {
  const answer = await system.answerTo({
    prompt: "x",
    ts: 1,
    env: { KEY: secret },
    handoff: { env: { OTHER: secret } },
  });
  expect(answer["request"]).toEqual({
    prompt: "x",
    ts: 1,
    env: { KEY: "***" },
    handoff: { env: { OTHER: "***" } },
  });
});

test("a further request is refused as overloaded when too many wait", async () => {
  const ids = [system.nextId(), system.nextId(), system.nextId()];
  for (const id of ids) await system.answerTo({ ts: Number(id), prompt: "wait" });
  await system.heard(ids[0] as string, "start");
  const answer = await system.answerTo({ ts: Number(system.nextId()), prompt: "one too many", env: { KEY: secret } });
  expect(answer).toMatchObject({ reason: "overloaded", request: { prompt: "one too many", env: { KEY: "***" } } });
  expect(answer["error"]).toContain("max_queued");
  // Asked again by one who hasn't heard that it was accepted.
  const again = await system.answerTo({ ts: Number(ids[2]), prompt: "wait" });
  expect(again).toEqual({ accepted: true, agent_id: ids[2] });
  for (const id of ids.toReversed()) system.cancel(id);
  for (const id of ids) await system.ended(id);
});
