import { expect, test } from "vitest";
import { complaints } from "../../tools/conformance.ts";
import { notApplicable } from "../../tools/conformance/not-applicable.ts";
import { conformancePage } from "../../tools/conformance/page.ts";
import { answered, translated } from "../../tools/conformance/stand-ins.ts";

const about = { version: "2025-11-25", role: "server", isRequired: true } as const;
const passed = { ...about, scenario: "ping", problem: "" };
const failed = { ...about, scenario: "resources-subscribe", problem: "no streams" };
const login = { ...about, role: "client", scenario: "auth/basic-cimd", problem: "it isn't run" } as const;
const server = (reasons: Record<string, string>) => ({ server: reasons, client: {} });

test("passed and inapplicable scenarios are as expected", () => {
  expect(complaints([passed, failed, login], server({ "resources-subscribe": "never" }))).toEqual([]);
});

test("a scenario that fails unexcused, passes excused or is missing is wrong, and so is an empty result", () => {
  const name = "resources-subscribe (server, 2025-11-25)";
  expect(complaints([passed, failed], server({}))).toEqual([`${name} fails: no streams`]);
  const wrong = expect.stringContaining("ping (server, 2025-11-25) passes");
  expect(complaints([passed], server({ ping: "never" }))).toEqual([wrong]);
  expect(complaints([passed], server({ gone: "never" }))).toEqual([expect.stringContaining("doesn't have it")]);
  expect(complaints([], server({}))).toEqual(["the suite ran no scenario"]);
});

test("the page tells what passes, and why the rest doesn't apply", () => {
  const page = conformancePage([passed, failed, { ...passed, scenario: "later", isRequired: false }, login], "1.0.0");
  expect(page).toContain("2025-11-25, our server: 1 of 2");
  expect(page).toContain("- `ping`\n- `later` (not counted)");
  expect(page).toContain(`| \`resources-subscribe\` | ${notApplicable.server["resources-subscribe"]} |`);
  expect(page).toContain("| `auth/basic-cimd` | Our client logs in nowhere");
});

test("names are changed on the way, and nothing else is", () => {
  const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "test_simple_text", _meta: { a: 1 } } };
  expect(translated(call)).toEqual({ ...call, params: { ...call.params, name: "conformance.test_simple_text" } });
  const read = { method: "resources/read", params: { uri: "test://static-text" } };
  expect(translated(read)).toMatchObject({ params: { uri: expect.stringMatching(/^journal:/) } });
  for (const other of [null, [], { method: "ping" }, { method: "prompts/get", params: { name: "a" } }])
    expect(translated(other)).toEqual(other);
  expect(answered('{"name":"conformance.a","text":"conformance.b"}')).toBe('{"name":"a","text":"conformance.b"}');
});
