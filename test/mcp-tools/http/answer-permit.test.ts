/** Questions of runs whose agents have tools of their own: what the rules say, and who may ask. */
import { symlinkSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { commandsToken, issueToken } from "../../../journal/access/tokens.ts";
import type { OwnCall } from "../../../protocol/permissions/own-call.ts";
import { AgentsService } from "../agents-service.ts";
import { makeJournal, startTools } from "../tools-server.ts";

const rules = [
  { tool: "bash", match: "git *", decide: "allow" },
  { tool: "bash", decide: "deny" },
  { tool: "edit", match: "secret/*", decide: "deny" },
  { tool: "coder.*", decide: "deny" },
];

type Asked = Partial<OwnCall> | string;

async function asker({ journal }: { journal: string }, url: string) {
  const folder = join(journal, "work");
  mkdirSync(join(folder, "secret"), { recursive: true });
  symlinkSync("secret", join(folder, "plain"));
  writeFileSync(join(journal, "cortex.json"), JSON.stringify({ permissions: rules }));
  const place = { folder, is_walled: false, max_processes: 10, max_memory_mb: 100 };
  const token = await issueToken(journal, "1736380800000", [], {}, place);
  return async (call: Asked, bearer = token): Promise<{ status: number; body: unknown }> => {
    const body = typeof call === "string" ? call : JSON.stringify({ call_id: "call-1", args: {}, ...call });
    const headers = { authorization: `Bearer ${bearer}`, "content-type": "application/json" };
    const response = await fetch(new URL("/permit", url), { method: "POST", headers, body });
    return { status: response.status, body: await response.json() };
  };
}

test("rules decide by the tool's name, the command and the path as it really is", async () => {
  using journal = makeJournal();
  await using server = await startTools(journal.journal);
  const ask = await asker(journal, server.url);
  const allowed = async (call: Asked) => (await ask(call)).body;
  const bash = (command: unknown) => allowed({ tool: "bash", kind: "execute", args: { command } });
  const edit = (path: string) => allowed({ tool: "edit", kind: "edit", args: { path } });
  const denied = { allowed: false, why: expect.stringContaining("denied by a rule of the user") };
  expect(await bash("git log")).toEqual({ allowed: true });
  expect(await bash("git log; rm -rf .")).toEqual(denied);
  expect(await bash(null)).toEqual(denied);
  expect(await edit("notes.md")).toEqual({ allowed: true });
  expect(await edit("secret/key")).toEqual(denied);
  expect(await edit("a/../secret/key")).toEqual(denied);
  expect(await edit("plain/key")).toEqual(denied);
  expect(await edit(join(journal.journal, "work/secret/key"))).toEqual(denied);
  expect(await allowed({ tool: "read", kind: "read", args: { path: "/etc/hosts" } })).toEqual({ allowed: true });
  expect(await allowed({ tool: "coder.deploy", kind: "other" })).toEqual(denied);
});

test("a person is asked about a file that programs run code from, and about one outside of the run's folder", async () => {
  await using service = await AgentsService.start();
  service.answers.set("ask_permission", { ok: true, result: { state: "deny", by: "ada" } });
  const ask = await asker(service.bus, service.tools.url);
  const edit = (path: string) => ask({ tool: "edit", kind: "edit", args: { path }, call_id: path });
  for (const path of [".git/hooks/pre-commit", "a/.envrc", "../elsewhere.md"])
    expect((await edit(path)).body, path).toEqual({ allowed: false, why: expect.stringContaining("denied by ada") });
  expect((await edit("notes.md")).body).toEqual({ allowed: true });
  expect(service.calls.map(({ args }) => (args as { why: string }).why)).toEqual([
    "git reads what to run there",
    "programs read what to run from names with a dot",
    "it changes what isn't in the run's folder",
  ]);
});

test("strangers, other methods and what is no call are refused", async () => {
  using journal = makeJournal();
  await using server = await startTools(journal.journal);
  const ask = await asker(journal, server.url);
  const call = { tool: "read", kind: "read" as const };
  expect((await ask(call, "0".repeat(64))).status).toBe(401);
  const token = await commandsToken(journal.journal);
  const headers = { authorization: `Bearer ${token}` };
  expect((await fetch(new URL("/permit", server.url), { headers })).status).toBe(405);
  for (const wrong of ["[]", '"x"', "{}", '{"tool":"bash","kind":"fly","args":{},"call_id":"1"}', "no JSON"])
    expect((await ask(wrong)).status, wrong).toBe(400);
  expect((await ask({ ...call, tool: "x".repeat(300) })).status).toBe(400);
  expect((await ask({ ...call, args: { path: "x".repeat(5 * 1024 * 1024) } })).status).toBe(413);
});
