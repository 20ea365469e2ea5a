/** Forms of external servers: put to whoever calls their tools, over HTTP and from a program, and refused where nobody can be asked. */
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { commandsToken, issueToken } from "../../../journal/access/tokens.ts";
import { passedOn } from "../../../mcp-tools/external/asked-input.ts";
import { connectStateless, StatelessClient } from "../../support/mcp/stateless-client.ts";
import { type StatelessServer, startStatelessServer } from "../../support/mcp/stateless-server.ts";
import { patienceMs } from "../../support/patience.ts";
import { callTool, connect, startTools } from "../tools-server.ts";
import { path, ToolboxSystem } from "./toolbox-system.ts";

const system = new ToolboxSystem();
const command = [process.execPath, path("test/fixtures/mcp/stateless.ts")];
let stateless: StatelessServer;
let token: string;

beforeAll(async () => {
  stateless = await startStatelessServer();
  system.configure({
    address: { url: stateless.url },
    program: { command },
    both: { command: [...command, "both"], protocol: "2026-07-28" },
    older: { command: [...command, "both"] },
  });
  await system.start();
  token = await commandsToken(system.journal);
  for (const name of ["address", "program", "both", "older"]) await system.until(name, "ready");
});
afterAll(async () => {
  await system[Symbol.asyncDispose]();
  await stateless[Symbol.asyncDispose]();
});

const forms = { elicitation: {} };
const accepted = (content: object) => ({ action: "accept", content });
const invalid = { code: -32602, data: { reason: "invalid_request_state" } };

test.each(["address", "program", "both"])("the official client fills in one form after the other: %s", async (name) => {
  const asked: string[] = [];
  await using client = await connectStateless(system.server.url, token, (message) => {
    asked.push(message);
    return message === "Which plant?" ? new Map([["plant", "leeks"]]) : new Map([["number", 12]]);
  });
  const { content, isError } = await client.callTool({ name: `${name}.plant`, arguments: {} });
  expect(content).toEqual([{ type: "text", text: "planted 12 leeks" }]);
  expect([asked, isError]).toEqual([["Which plant?", "How many leeks?"], undefined]);
});

describe("the state between two rounds", () => {
  const call = async (client: StatelessClient, name: string, params: object) =>
    await client.ask("tools/call", { name, arguments: {}, ...params });
  const secondRound = async (client: StatelessClient) => {
    const inputResponses = { plant: accepted({ plant: "leeks" }), unknown: accepted({ plant: "weeds" }) };
    const { requestState } = await client.call("address.plant", {}, { inputResponses });
    return { requestState, inputResponses: { number: accepted({ number: 2 }) } };
  };

  test("is the external server's, signed: changed, or given to another tool, it is refused", async () => {
    const client = new StatelessClient(system.server.url, token, forms);
    const round = await secondRound(client);
    expect(await call(client, "address.plant", round)).toMatchObject({
      result: { content: [{ text: "planted 2 leeks" }] },
    });
    const changed = { ...round, requestState: `${String(round.requestState)}-changed` };
    expect((await call(client, "address.plant", changed)).error).toMatchObject(invalid);
    for (const name of ["program.plant", "cortex_run"])
      expect((await call(client, name, round)).error).toMatchObject(invalid);
  });

  test("holds over a restart of the tool server", async () => {
    const client = new StatelessClient(system.server.url, token, forms);
    const round = await secondRound(client);
    await system.server.stop();
    system.server = await startTools(system.journal);
    const later = new StatelessClient(system.server.url, token, forms);
    // The catalogue may still be that of before.
    const isThere = async (name: string) => JSON.stringify(await later.resultOf("tools/list")).includes(`"${name}"`);
    for (const name of ["address.plant", "program.plant", "older.plant"])
      await vi.waitUntil(() => isThere(name), { timeout: patienceMs, interval: 20 });
    expect(await call(later, "address.plant", round)).toMatchObject({
      result: { content: [{ text: "planted 2 leeks" }] },
    });
  });
});

describe("nobody can be asked", () => {
  const words = /plant isn't done: it asks for a form that a person fills in, and nobody can be asked/;

  test("by a client that doesn't declare forms: it is told which capability is missing", async () => {
    for (const capabilities of [{}, { sampling: {} }]) {
      const client = new StatelessClient(system.server.url, token, capabilities);
      for (const name of ["address.plant", "program.plant"])
        expect((await client.ask("tools/call", { name, arguments: {} })).error).toMatchObject({
          code: -32021,
          message: expect.stringContaining(name),
          data: { requiredCapabilities: { elicitation: {} } },
        });
    }
  });

  test("by a client of the older protocol that declares nothing", async () => {
    await using client = await connect(system.server.url, token);
    expect(await callTool(client, "address.plant", {})).toEqual({ isError: true, text: expect.stringMatching(words) });
  });

  test("by a run, whatever its client declares", async () => {
    const permissions = [{ tool: "address.plant", decide: "allow" as const }];
    const run = await issueToken(system.journal, "1736380800000", ["address.plant"], { permissions });
    const result = await new StatelessClient(system.server.url, run, forms).call("address.plant", {});
    expect(result).toMatchObject({ isError: true, content: [{ text: expect.stringMatching(words) }] });
  });

  test("by a program that was greeted in the older protocol", async () => {
    const result = await new StatelessClient(system.server.url, token, forms).call("older.plant", {});
    expect(result).toMatchObject({ resultType: "complete", isError: true });
  });

  test("of a server that asks all the same, its question is told", () => {
    const asked = { method: "elicitation/create", params: { message: "Which plant?" } } as const;
    const result = { resultType: "input_required", inputRequests: { plant: asked } } as never;
    expect(passedOn("garden.plant", result, undefined)).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('a form that a person fills in ("Which plant?")') }],
    });
  });
});

test("a server that asks for too much at once, or for what nobody knows, is an error", () => {
  const caller = { knowsTasks: false, fillsForms: true, asks: forms };
  for (const strange of [null, "form", { method: "constructor" }, { method: "tools/list" }]) {
    const inputRequests = { strange } as never;
    const result = passedOn("garden.plant", { resultType: "input_required", inputRequests }, caller);
    expect(result).toMatchObject({ isError: true, content: [{ text: expect.stringContaining("doesn't know") }] });
  }
  const vast = { resultType: "input_required", requestState: "x".repeat(70_000) } as const;
  expect(passedOn("garden.plant", vast, caller)).toMatchObject({ isError: true });
  expect(passedOn("garden.plant", { ...vast, requestState: "x" }, caller)).toMatchObject({ requestState: "x" });
});
