import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  commandsToken,
  issueToken,
  readToken,
  revokeToken,
  revokeTokensExcept,
} from "../../../journal/access/tokens.ts";
import { allTools, ownersTools } from "../../../protocol/settings/packs.ts";

const id = "1736380800000";
let journal: string;
beforeEach(() => {
  journal = mkdtempSync(join(tmpdir(), "tokens-"));
});
afterEach(() => rmSync(journal, { recursive: true }));

const tokenFolder = () => join(journal, ".run", "tokens");

test("a token says which run has it and which tools that run was given, until it is revoked", async () => {
  const token = await issueToken(journal, id, ["get_facet"]);
  expect(token).toMatch(/^[A-Za-z0-9_-]{43}$/);
  expect(await readToken(journal, token)).toEqual({ agent_id: id, tools: ["get_facet"] });
  await revokeToken(journal, token);
  expect(await readToken(journal, token)).toBeNull();
  await revokeToken(journal, token);
});

test("a token is kept as its hash, for its owner alone", async () => {
  const token = await issueToken(journal, id, []);
  const [name = ""] = readdirSync(tokenFolder());
  expect(name).toMatch(/^[0-9a-f]{64}\.json$/);
  expect(readFileSync(join(tokenFolder(), name), "utf8")).not.toContain(token);
  expect(statSync(join(tokenFolder(), name)).mode & 0o777).toBe(0o600);
  expect(statSync(tokenFolder()).mode & 0o777).toBe(0o700);
  expect(statSync(join(journal, ".run")).mode & 0o777).toBe(0o700);
});

test("no two tokens are alike, also of one run", async () => {
  const tokens = await Promise.all(Array.from({ length: 50 }, () => issueToken(journal, id, [])));
  expect(new Set(tokens).size).toBe(50);
});

test("a text that isn't a token is refused, whatever it looks like", async () => {
  await issueToken(journal, id, []);
  const [name = ""] = readdirSync(tokenFolder());
  const wrong = [
    "",
    "undefined",
    "null",
    "../commands-token",
    name,
    name.slice(0, 43),
    "x".repeat(43),
    "x".repeat(1_000_000),
    "a\n",
  ];
  for (const token of wrong) expect(await readToken(journal, token)).toBeNull();
  for (const token of wrong) await revokeToken(journal, token);
  expect(readdirSync(tokenFolder())).toEqual([name]);
});

test("a token whose file is damaged gives nothing", async () => {
  const token = await issueToken(journal, id, ["get_facet"]);
  const [name = ""] = readdirSync(tokenFolder());
  for (const damaged of ["", "{", "null", '{"agent_id":"x","tools":[]}', `{"agent_id":"${id}","tools":"all"}`]) {
    writeFileSync(join(tokenFolder(), name), damaged);
    expect(await readToken(journal, token)).toBeNull();
  }
});

test("a restart ends the tokens of all runs but the living, and clears away the rest", async () => {
  const living = await issueToken(journal, id, ["get_facet"]);
  const ended = await issueToken(journal, "1736380800001", ["get_facet"]);
  writeFileSync(join(tokenFolder(), "left.tmp"), "x");
  await revokeTokensExcept(journal, new Set([id]));
  expect(await readToken(journal, living)).not.toBeNull();
  expect(await readToken(journal, ended)).toBeNull();
  expect(readdirSync(tokenFolder())).toHaveLength(1);
});

test("before the first token there is nothing to end", async () => {
  await revokeTokensExcept(journal, new Set());
  expect(readdirSync(tokenFolder())).toEqual([]);
});

test("a bad run id gets no token", async () => {
  await expect(issueToken(journal, "../evil", [])).rejects.toThrow();
  expect(existsSync(tokenFolder())).toBe(false);
});

test("the commands have one token of their own, with every tool, whoever asks first", async () => {
  const [token = "", ...others] = await Promise.all(Array.from({ length: 20 }, () => commandsToken(journal)));
  expect(new Set(others)).toEqual(new Set([token]));
  expect(await readToken(journal, token)).toEqual({ agent_id: "commands", tools: [...allTools, ...ownersTools] });
  expect(statSync(join(journal, ".run", "commands-token")).mode & 0o777).toBe(0o600);
  expect(readdirSync(join(journal, ".run"))).toEqual(["commands-token"]);
});

test("a damaged token of the commands is replaced, and never valid", async () => {
  mkdirSync(join(journal, ".run"));
  for (const damaged of ["", "\n", "undefined", "x".repeat(44)]) {
    writeFileSync(join(journal, ".run", "commands-token"), damaged);
    expect(await readToken(journal, damaged)).toBeNull();
    expect(await commandsToken(journal)).toMatch(/^[A-Za-z0-9_-]{43}$/);
  }
});

test("a link in place of the token folder's file leads nowhere", async () => {
  const token = await issueToken(journal, id, ["get_facet"]);
  await revokeToken(journal, token);
  mkdirSync(tokenFolder(), { recursive: true });
  symlinkSync("/nowhere", join(tokenFolder(), `${"a".repeat(64)}.json`));
  expect(await readToken(journal, token)).toBeNull();
  await revokeTokensExcept(journal, new Set([id]));
  expect(readdirSync(tokenFolder())).toEqual([]);
});
