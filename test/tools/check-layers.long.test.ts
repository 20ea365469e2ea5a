import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { checkLayers, checkRows } from "../../tools/check-layers.ts";

const project = fileURLToPath(new URL("../..", import.meta.url));
let copy: string;

beforeEach(() => {
  copy = mkdtempSync(join(tmpdir(), "layers-"));
  cpSync(join(project, "protocol"), join(copy, "protocol"), { recursive: true });
  plant("journal/paths.ts", "export type Facet = string; export const paths = 1;");
  plant("bus/connect.ts", 'import { connect } from "@nats-io/transport-node"; export const bus = connect;');
});
afterEach(() => rmSync(copy, { recursive: true }));

function plant(path: string, text: string): void {
  mkdirSync(dirname(join(copy, path)), { recursive: true });
  writeFileSync(join(copy, path), text);
}

const problems = () => checkLayers(copy).problems;

test("the project itself has no forbidden import", () => {
  const { problems, imports } = checkLayers(project);
  expect(problems).toEqual([]);
  expect(imports).toBeGreaterThan(50);
});

test("a tree that keeps to the table passes", () => {
  expect(problems()).toEqual([]);
});

describe("a forbidden import is found, with its line, when it is", () => {
  test.each([
    ["static", 'import { bus } from "../bus/connect.ts";'],
    ["for its effect", 'import "../bus/connect.ts";'],
    ["of a type", 'import type { bus } from "../bus/connect.ts";'],
    ["of a type, inline", 'import { type bus } from "../bus/connect.ts";'],
    ["in the place of a type", 'export type Bus = typeof import("../bus/connect.ts");'],
    ["dynamic", 'export const bus = () => import("../bus/connect.ts");'],
    ["dynamic, in a template", "export const bus = () => import(`../bus/connect.ts`);"],
    ["an export from", 'export { bus } from "../bus/connect.ts";'],
    ["an export of a type from", 'export type { bus } from "../bus/connect.ts";'],
    ["an export of everything", 'export * from "../bus/connect.ts";'],
    ["required", 'export const bus = require("../bus/connect.ts");'],
    ["equated", 'import bus = require("../bus/connect.ts");'],
    ["spread over lines", 'import {\n  bus,\n} from "../bus/connect.ts";'],
    ["roundabout", 'import { bus } from "./../protocol/../bus/connect.ts";'],
  ])("%s", (_, line) => {
    plant("journal/bad.ts", `// one\n${line}\n`);
    expect(problems()).toEqual([
      expect.stringMatching(/^journal\/bad\.ts:2: journal imports .*bus\/connect\.ts: it may import protocol, files$/),
    ]);
  });

  test("through a link", () => {
    symlinkSync(join(copy, "bus"), join(copy, "journal", "own"));
    plant("journal/bad.ts", 'import "./own/connect.ts";');
    expect(problems().filter((problem) => problem.startsWith("journal/bad.ts"))).toHaveLength(1);
  });

  test("computed, so that nothing can be said of it", () => {
    plant("journal/bad.ts", "export const any = (name: string) => import(name);");
    expect(problems()).toEqual([expect.stringContaining("name the module")]);
  });

  test("in a JavaScript file", () => {
    plant("journal/bad.mjs", 'import "../bus/connect.ts";');
    expect(problems()).toEqual([expect.stringContaining("journal/bad.mjs:1")]);
  });

  test("to what lies outside of the project", () => {
    plant("journal/bad.ts", 'import "../../elsewhere.ts";');
    expect(problems()).toEqual([expect.stringContaining("outside of the project")]);
  });
});

test("an import in a comment or in a string is none", () => {
  plant("journal/fine.ts", '// import "../bus/connect.ts";\nexport const text = `import "../bus/connect.ts"`;');
  expect(problems()).toEqual([]);
});

test("a folder that may import types alone is held to it", () => {
  plant("conversation/fine.ts", 'import type { Facet } from "../journal/paths.ts"; export type F = Facet;');
  expect(problems()).toEqual([]);
  plant("conversation/bad.ts", 'import { paths } from "../journal/paths.ts"; export const p = paths;');
  plant("conversation/worse.ts", 'import { type Facet } from "../journal/paths.ts"; export type F = Facet;');
  expect(problems()).toEqual([
    expect.stringContaining("conversation/bad.ts:1: conversation may import types of journal alone"),
    expect.stringContaining("conversation/worse.ts:1: conversation may import types of journal alone"),
  ]);
});

test.each([
  ["journal", "@nats-io/kv", "bus"],
  ["cortex", "execa", "proc, scripts"],
  ["cortex", "node:child_process", "proc, scripts"],
  ["cortex", "child_process", "proc, scripts"],
  ["cortex", "chokidar", "journal, personas"],
  ["cortex", "node-cron", "schedule"],
  ["cortex", "openai", "backends"],
  ["cortex", "@anthropic-ai/sdk/resources/messages", "backends"],
  ["cortex", "@modelcontextprotocol/sdk/client/index.js", "mcp-tools, backends, scripts, web"],
  ["cortex", "node:http", "mcp-tools, gateway, channels, web, proc, sandbox, scripts"],
])("%s may not import %s", (folder, thing, owner) => {
  plant(`${folder}/bad.ts`, `import "${thing}";`);
  expect(problems()).toEqual([`${folder}/bad.ts:1: ${folder} imports ${thing}, which belongs to ${owner}`]);
});

test("asking for a module by name is importing it", () => {
  plant("cortex/bad.ts", 'export const http = process.getBuiltinModule("node:http");');
  expect(problems()).toEqual([expect.stringContaining("cortex/bad.ts:1: cortex imports node:http, which belongs to")]);
});

test("an owner may import what it owns, and a package with a like name is another", () => {
  plant("proc/fine.ts", 'import "execa";');
  plant("cortex/fine.ts", 'import "execa-like";');
  expect(problems()).toEqual([]);
});

test("a folder without a row fails", () => {
  plant("helpers/any.ts", "export {};");
  expect(problems()).toEqual(["helpers/any.ts:1: the folder helpers/ has no row in tools/layers.ts"]);
});

test("a room that stands alone imports no other of ours, not even from a folder that its own may import", () => {
  plant("files/errors/errno.ts", "export const errno = 1;");
  plant("proc/processes/identity.ts", 'import "../../files/errors/errno.ts";');
  plant("proc/http/bad.ts", 'import "../../files/errors/errno.ts";');
  expect(problems()).toEqual(["proc/http/bad.ts:1: proc/http imports ../../files/errors/errno.ts: it stands alone"]);
});

describe("within a folder, a room", () => {
  beforeEach(() => {
    plant("journal/config/paths.ts", "export const paths = 1;");
    plant("journal/runs/run-log.ts", 'import "../config/paths.ts";');
  });

  test("may import the rooms below it", () => expect(problems()).toEqual([]));

  test("may not import a room above it, nor a type of it", () => {
    plant("journal/config/bad.ts", 'import "../runs/run-log.ts";');
    plant("journal/config/worse.ts", 'import type { Log } from "../runs/run-log.ts"; export type L = Log;');
    expect(problems()).toEqual([
      "journal/config/bad.ts:1: journal/config imports ../runs/run-log.ts: of its folder it may import nothing",
      "journal/config/worse.ts:1: journal/config imports ../runs/run-log.ts: of its folder it may import nothing",
    ]);
  });

  test("may not import a file that stands above the rooms", () => {
    plant("bus/runs/bad.ts", 'import "../connect.ts";');
    expect(problems()).toEqual([expect.stringContaining("bus/runs imports ../connect.ts")]);
  });

  test("may have rooms of its own, held to the same", () => {
    plant("backends/provider/provider.ts", "export {};");
    plant("backends/openai/endpoint/client.ts", 'import "../../provider/provider.ts";');
    plant("backends/openai/responses/responses.ts", 'import "../endpoint/client.ts";');
    plant("backends/openai/provider.ts", 'import "./responses/responses.ts";');
    expect(problems()).toEqual([]);
    plant("backends/openai/endpoint/bad.ts", 'import "../responses/responses.ts";');
    plant("backends/openai/responses/bad.ts", 'import "../provider.ts";');
    plant("backends/openai/helpers/any.ts", "export {};");
    expect(problems()).toEqual([
      expect.stringContaining("backends/openai/endpoint imports ../responses/responses.ts"),
      "backends/openai/helpers/any.ts:1: the folder backends/openai/helpers/ has no row in tools/rooms.ts",
      expect.stringContaining("backends/openai/responses imports ../provider.ts"),
    ]);
  });

  test("has a row", () => {
    plant("journal/helpers/any.ts", "export {};");
    expect(problems()).toEqual(["journal/helpers/any.ts:1: the folder journal/helpers/ has no row in tools/rooms.ts"]);
  });
});

test("a room without a row fails also where its folder has no rooms yet, and within a room", () => {
  plant("personas/readers/any.ts", "export {};");
  plant("journal/config/helpers/any.ts", "export {};");
  plant("test/any/any.ts", "export {};");
  expect(problems()).toEqual([
    "journal/config/helpers/any.ts:1: the folder journal/config/helpers/ has no row in tools/rooms.ts",
    "personas/readers/any.ts:1: the folder personas/readers/ has no row in tools/rooms.ts",
  ]);
});

test("each row of the table has its folder, and a row without one fails", () => {
  expect(checkRows(project)).toEqual([]);
  expect(checkRows(copy)).toEqual(
    expect.arrayContaining([
      "tools/layers.ts: the row supervisor has no folder",
      "tools/rooms.ts: the row supervisor/schedule has no folder",
    ]),
  );
});

test("files that import each other in a circle fail, also by types alone and within a room", () => {
  plant("journal/config/one.ts", 'import type { Two } from "./two.ts"; export type One = Two;');
  plant("journal/config/two.ts", 'import { three } from "./three.ts"; export type Two = typeof three;');
  plant("journal/config/three.ts", 'export const three = () => import("./one.ts");');
  plant("journal/config/four.ts", 'import "./one.ts"; import "./two.ts";');
  expect(problems()).toEqual([expect.stringMatching(/: imports itself: .*(one|two|three)\.ts ▸ .*▸ .* ▸ /)]);
});

test("files of the tests, the benchmark and the examples that import each other in a circle fail", () => {
  for (const folder of ["test/simulation", "bench/rows", "bin", "examples"]) {
    plant(`${folder}/one.ts`, 'import type { Two } from "./two.ts"; export type One = Two;');
    plant(`${folder}/two.ts`, 'import type { One } from "./one.ts"; export type Two = One;');
  }
  expect(problems()).toEqual([
    expect.stringMatching(/^bench\/rows\/one\.ts:1: imports itself/),
    expect.stringMatching(/^bin\/one\.ts:1: imports itself/),
    expect.stringMatching(/^examples\/one\.ts:1: imports itself/),
    expect.stringMatching(/^test\/simulation\/one\.ts:1: imports itself/),
  ]);
});

test("rooms that may import each other in a circle fail", () => {
  const table = { "protocol/json": ["runs"], "protocol/runs": ["names"], "protocol/names": ["json"] };
  expect(checkRows(project, table)).toEqual([
    "tools/rooms.ts: the room protocol/json imports itself by way of others",
    "tools/rooms.ts: the room protocol/runs imports itself by way of others",
    "tools/rooms.ts: the room protocol/names imports itself by way of others",
  ]);
});

test("a file that can't be parsed fails", () => {
  plant("journal/broken.ts", "import {");
  expect(problems()).toEqual([expect.stringContaining("journal/broken.ts:1: can't be parsed")]);
});

test("a tree with nothing to check fails", () => {
  const empty = mkdtempSync(join(tmpdir(), "layers-"));
  expect(checkLayers(empty).problems).toEqual([expect.stringContaining("nothing was checked")]);
  rmSync(empty, { recursive: true });
});
