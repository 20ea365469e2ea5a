import { expect, test } from "vitest";
import { complaints } from "../../tools/conformance.ts";
import { notApplicable } from "../../tools/conformance/not-applicable.ts";
import { conformancePage } from "../../tools/conformance/page.ts";
import { answered, translated } from "../../tools/conformance/stand-ins.ts";

const passed = { scenario: "ping", problem: "" };
const failed = { scenario: "tools-call-sampling", problem: "no sampling" };

test("passed and inapplicable scenarios are as expected", () => {
  expect(complaints([passed, failed], { "tools-call-sampling": "never" })).toEqual([]);
});

test("a scenario that fails unexcused, passes excused or is missing is wrong, and so is an empty result", () => {
  expect(complaints([passed, failed], {})).toEqual(["tools-call-sampling fails: no sampling"]);
  expect(complaints([passed], { ping: "never" })).toEqual([expect.stringContaining("ping passes")]);
  expect(complaints([passed], { gone: "never" })).toEqual([expect.stringContaining("the suite doesn't have it")]);
  expect(complaints([], {})).toEqual(["the suite ran no scenario"]);
});

test("the page tells what passes, and why the rest doesn't apply", () => {
  const page = conformancePage([passed, failed], notApplicable, "1.0.0");
  expect(page).toContain("1 of 2 scenarios");
  expect(page).toContain("- `ping`");
  expect(page).toContain(`| \`tools-call-sampling\` | ${notApplicable["tools-call-sampling"]} |`);
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
