import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { commandsToken } from "../../../journal/access/tokens.ts";
import { maxMessageText } from "../../../protocol/agents/channel.ts";
import { packs } from "../../../protocol/settings/packs.ts";
import { AgentsService, agentId, callAs, runId } from "../agents-service.ts";
import { callTool, connect } from "../tools-server.ts";

let service: AgentsService;
let client: Client;

beforeAll(async () => {
  service = await AgentsService.start();
  client = await service.client(packs["voice"] ?? []);
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
});
beforeEach(() => {
  service.calls.length = 0;
  service.answers.set("reply", { ok: true, result: { queued: true, id: "r1" } });
});

const call = (name: string, args: Record<string, unknown>) => callTool(client, name, args);

describe("reply", () => {
  const args = { text: "Hello.\nThere.", channelId: "main", channelType: "cli", replyTo: "t1" };

  test("goes to the agents' service as it is, with the ids of run and call, and answers at once", async () => {
    expect(await callAs(client, "call-1", "reply", args)).toEqual({
      text: '{"queued":true,"id":"r1"}',
      isError: false,
    });
    expect(service.calls).toEqual([{ run_id: runId, call_id: "call-1", tool: "reply", args }]);
  });

  test("without an id of the call gets one of its own each time: to say the same again is another reply", async () => {
    await call("reply", args);
    await call("reply", args);
    expect(new Set(service.calls.map(({ call_id }) => call_id)).size).toBe(2);
  });

  test("with an id that is too long for the bus keeps it apart from others", async () => {
    for (const id of ["a", "a", "b"]) await callAs(client, id.repeat(300), "reply", { ...args, text: "Good night." });
    const [first, again, other] = service.calls.map(({ call_id }) => call_id);
    expect([first === again, first === other]).toEqual([true, false]);
  });

  test.each([{}, { channelId: "" }, { channelId: null }])(
    "with %j says that the channel's id is needed, and where it stands",
    async (given) => {
      const { text, isError } = await call("reply", { text: "Hello.", ...given });
      expect([isError, text]).toEqual([true, expect.stringMatching(/channelId: expected the id .*\[channel: …\]/)]);
      expect(service.calls).toEqual([]);
    },
  );

  test.each([
    [{ text: " " }, "text: expected text, not blank"],
    [{ text: "x".repeat(maxMessageText + 1) }, `text: expected at most ${maxMessageText} characters`],
    [{ text: "a\0b" }, "NUL"],
    [{ channelType: "cli.>" }, "channelType: expected a channel's type"],
    [{ replyTo: "a\nb" }, "replyTo: expected one line"],
    [{ channel: "main" }, "Its arguments are text, channelId, channelType, replyTo, attachments."],
  ])("with %j is refused before anybody is asked", async (wrong, message) => {
    const { text, isError } = await call("reply", { ...args, ...wrong });
    expect([isError, text]).toEqual([true, expect.stringContaining(message)]);
    expect(service.calls).toEqual([]);
  });

  test("that is refused gives what the service says", async () => {
    service.answers.set("reply", { ok: false, error: "this run may answer on cli main alone" });
    expect(await call("reply", args)).toEqual({ text: "reply: this run may answer on cli main alone", isError: true });
  });

  test("of the commands, which are no run, is refused", async () => {
    await using commands = await connect(service.tools.url, await commandsToken(service.journal));
    const { text, isError } = await callTool(commands, "reply", args);
    expect([isError, text]).toEqual([true, expect.stringContaining("only a run of an agent")]);
    expect(service.calls).toEqual([]);
  });
});

describe("current_time", () => {
  test("is that of the zone asked for, with its offset", async () => {
    const before = Date.now();
    const result = await client.callTool({ name: "current_time", arguments: { timezone: "Asia/Kolkata" } });
    const { iso, unix_ms } = result.structuredContent as { iso: string; unix_ms: number };
    expect(iso).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+05:30$/);
    expect(Math.abs(Date.parse(iso) - unix_ms)).toBeLessThan(1000);
    expect(unix_ms).toBeGreaterThanOrEqual(before);
    expect((await call("current_time", { timezone: "UTC" })).text).toMatch(/^\w+day, .*\+00:00 \(UTC\)$/);
  });

  test("of a zone that isn't there is an error", async () => {
    const { text, isError } = await call("current_time", { timezone: "Mars/Olympus" });
    expect([isError, text]).toEqual([true, expect.stringContaining("expected one such as Europe/Berlin")]);
  });
});

describe("session_archive_read", () => {
  const file = "2025-01-09-101112131-1.jsonl";
  const at = (...parts: string[]) => join(service.journal, "agents", ...parts);

  beforeAll(() => {
    const other = "aaaaaaaaaaaaaaaaaaaaaaaa";
    for (const agent of [agentId, other]) mkdirSync(at(agent, "archive"), { recursive: true });
    const records = Array.from({ length: 700 }, (_, index) => JSON.stringify({ type: "user", id: index + 1 }));
    writeFileSync(at(agentId, "archive", file), `${records.join("\n")}\n`);
    writeFileSync(at(agentId, "history.jsonl"), "{}\n");
    writeFileSync(at(other, "archive", "secret.jsonl"), "{}\n");
    symlinkSync(at(other, "archive", "secret.jsonl"), at(agentId, "archive", "link.jsonl"));
  });

  test("gives lines of the own agent's archive, and says how to go on", async () => {
    expect((await call("session_archive_read", { file, from: 2, to: 3 })).text).toBe(
      '{"type":"user","id":2}\n{"type":"user","id":3}',
    );
    expect((await call("session_archive_read", { file })).text).toMatch(
      /\[cut after line 500: go on with from: 501\]$/,
    );
  });

  test.each([
    "../history.jsonl",
    "../../aaaaaaaaaaaaaaaaaaaaaaaa/archive/secret.jsonl",
    "link.jsonl",
    "/etc/passwd",
    "none.jsonl",
  ])("of %j is refused, with the archives that there are", async (wrong) => {
    const { text, isError } = await call("session_archive_read", { file: wrong });
    expect([isError, text]).toEqual([true, expect.stringContaining("is not an archive of this agent: its latest are")]);
    expect(text).toContain(file);
    expect(text).not.toContain(service.journal);
  });
});

describe("search_history", () => {
  const other = "bbbbbbbbbbbbbbbbbbbbbbbb";
  const stranger = "cccccccccccccccccccccccc";
  const file = "2025-01-09-101112131-2.jsonl";
  const at = (...parts: string[]) => join(service.journal, "agents", ...parts);
  const line = (ts: number, type: string, text: string) =>
    `${JSON.stringify({ ts, id: `i${ts}`, ...(type === "assistant" && { run_id: "1736380800001" }), type, text })}\n`;
  const describeAs = (descriptor: Record<string, unknown>) =>
    writeFileSync(at(agentId, "descriptor.json"), JSON.stringify({ id: agentId, created: 1, ...descriptor }));

  beforeAll(() => {
    for (const agent of [agentId, other, stranger]) mkdirSync(at(agent, "archive"), { recursive: true });
    writeFileSync(
      at(agentId, "archive", file),
      line(1, "user", "我们昨天查了北京天气的情况") + line(2, "assistant", "晴"),
    );
    writeFileSync(
      at(agentId, "history.jsonl"),
      line(3, "user", "Is the walrus well?") + line(4, "assistant", "It is."),
    );
    writeFileSync(at(other, "history.jsonl"), line(5, "user", "My walrus has a secret."));
    writeFileSync(at(other, "descriptor.json"), JSON.stringify({ id: other, kind: "main", created: 1 }));
    writeFileSync(at(stranger, "descriptor.json"), JSON.stringify({ id: stranger, kind: "user", created: 1 }));
  });
  beforeEach(() => describeAs({ kind: "main" }));

  test("finds what was said in the own conversation and in its archive, with time, run and archive", async () => {
    expect(await call("search_history", { query: "walrus" })).toEqual({
      text: "1970-01-01T00:00:00.003Z user (run 1736380800001): Is the walrus well?",
      isError: false,
    });
    const { structuredContent } = await client.callTool({
      name: "search_history",
      arguments: { query: "北京", limit: 1 },
    });
    const said = { agent_id: agentId, run_id: "1736380800001", ts: 1, said_by: "user", archive: file };
    expect(structuredContent).toEqual({ hits: [{ ...said, snippet: "我们昨天查了北京天气的情况" }], is_cut: false });
    expect((await call("session_archive_read", { file, from: 1, to: 1 })).text).toContain("北京");
    expect((await call("search_history", { query: "otter" })).text).toBe("nothing found: try other words");
  });

  test("of another agent is for an agent of the owner's, or for a task of one", async () => {
    const found = { isError: false, text: expect.stringContaining("My walrus has a secret.") };
    expect(await call("search_history", { query: "walrus", agent: other })).toEqual(found);
    describeAs({ kind: "subagent", parent: other });
    expect(await call("search_history", { query: "walrus", agent: other })).toEqual(found);
  });

  test.each([
    ["an agent that speaks to a stranger", { kind: "user" }],
    ["a task of such a one", { kind: "subagent", parent: stranger }],
    ["a task whose sender has gone", { kind: "subagent", parent: "dddddddddddddddddddddddd" }],
    ["a task of its own", { kind: "subagent", parent: agentId }],
    ["an agent that can't be read", { kind: "nobody" }],
  ])("of another agent is refused to %s, which searches its own", async (name, descriptor) => {
    describeAs(descriptor);
    // The same call again and again would be asked about.
    const query = `walrus, ${name}`;
    for (const agent of [other, "eeeeeeeeeeeeeeeeeeeeeeee"]) {
      const { text, isError } = await call("search_history", { query, agent });
      expect([isError, text]).toEqual([true, expect.stringContaining("only the owner's agents")]);
    }
    for (const agent of [undefined, agentId])
      expect((await call("search_history", { query, agent })).text).toContain("Is the walrus well?");
  });

  test("of an agent that isn't there, or of what is no id of one, is refused", async () => {
    for (const [agent, message] of [
      ["eeeeeeeeeeeeeeeeeeeeeeee", "there is no agent"],
      ["../../memory", "agent"],
    ]) {
      const { text, isError } = await call("search_history", { query: "walrus", agent });
      expect([isError, text]).toEqual([true, expect.stringContaining(message ?? "")]);
    }
  });

  test("of the commands, which are the owner's, names the agent", async () => {
    await using commands = await connect(service.tools.url, await commandsToken(service.journal));
    expect((await callTool(commands, "search_history", { query: "walrus", agent: other })).text).toContain("a secret");
    expect((await callTool(commands, "search_history", { query: "walrus" })).isError).toBe(true);
  });
});

describe("use_skill", () => {
  const write = (name: string, text: string) => {
    mkdirSync(join(service.journal, "skills", name), { recursive: true });
    writeFileSync(join(service.journal, "skills", name, "SKILL.md"), text);
  };

  test("gives the instructions, with what they are to be used on", async () => {
    write("greet", "---\nname: greet\ndescription: Greets.\n---\n\nGreet $ARGUMENTS. Then greet $ARGUMENTS again.\n");
    expect(await call("use_skill", { skill: "greet", args: "$& and Anna" })).toEqual({
      text: "Greet $& and Anna. Then greet $& and Anna again.\n",
      isError: false,
    });
  });

  test("of one that is for the user alone is refused", async () => {
    write("deploy", "---\ndescription: Deploys.\ndisable-model-invocation: true\n---\nDeploy.\n");
    const { text, isError } = await call("use_skill", { skill: "deploy" });
    expect([isError, text]).toEqual([true, expect.stringContaining("is for the user alone")]);
    expect(text).not.toContain("Deploy.");
  });

  test.each(["nonsuch", "../greet", ".."])("of %j names the skills that there are", async (skill) => {
    write("greet", "---\ndescription: Greets.\n---\nGreet.\n");
    const { text, isError } = await call("use_skill", { skill });
    expect([isError, text]).toEqual([
      true,
      expect.stringMatching(/no skill ".+": the skills are code-review, greet, research-report, weekly-review$/),
    ]);
  });
});
