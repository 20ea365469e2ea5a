import { expect, test } from "vitest";
import { narrowedGrant, rightsOf } from "../../../mcp-tools/mcp/request-context.ts";

test.each([
  ["commands", ["get_resource"], { files: true, runs: true, personas: true }],
  ["commands", ["get_facet"], { files: false, runs: false, personas: true }],
  ["1736380800000", ["get_resource"], { files: true, runs: false, personas: false }],
  ["1736380800000", ["search_journal", "get_facet"], { files: false, runs: false, personas: false }],
])("%s with %j sees %j", (agent_id, tools, rights) => {
  expect(rightsOf({ agent_id, tools })).toEqual(rights);
});

const grant = { agent_id: "1736380800000", tools: ["search_journal", "get_facet", "disk.read", "disk.write"] };
// A built-in pack wins over what has its name.
const outside = { disk: ["disk.read", "disk.write"], todo: ["disk.read"], apps: [] };

test.each([
  [null, grant.tools],
  ["get_facet", ["get_facet"]],
  ["journal", ["search_journal", "get_facet"]],
  ["disk, get_facet", ["get_facet", "disk.read", "disk.write"]],
  ["disk.read", ["disk.read"]],
  ["todo, get_events, nothing", []],
  ["", []],
  ["__proto__,constructor", []],
])("asked for %j a client gets %j: never more than its token gives", (wanted, tools) => {
  expect(narrowedGrant(grant, wanted, outside)).toEqual({ ...grant, tools });
});
