import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, test } from "vitest";
import { AgentEvent, type EventName, eventShapes } from "../../protocol/runs/event.ts";
import { type JsonSchema, type Published, published, publishedSchema } from "../../scripts/settings/json-schemas.ts";
import { protocolPage } from "../../tools/docs/protocol-page.ts";
import { generatedDocs, staleDocs, writeDocs } from "../../tools/docs.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const names = Object.keys(published) as Published[];
const page = protocolPage();
const blocks = [...page.matchAll(/^```json(.*)\n([^]*?)^```$/gm)].map(([, name = "", text = ""]) => ({
  name: name.trim(),
  text,
}));
let folder: string;

beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), "docs-")), "docs");
  mkdirSync(folder);
});
afterEach(() => rmSync(dirname(folder), { recursive: true }));

test("the page shows an example of everything that is published", () => {
  expect(new Set(blocks.map(({ name }) => name))).toEqual(new Set(names));
});

test.each(blocks)("the block of protocol.md for $name fits its schema: $text", ({ name, text }) => {
  const value: unknown = JSON.parse(text);
  expect(published[name as Published].safeParse(value).error).toBeUndefined();
  if (name !== "event") return;
  const { event } = AgentEvent.parse(value);
  expect(eventShapes[event as EventName].safeParse(value).error).toBeUndefined();
});

test("the page has a section for every event", () => {
  for (const name of Object.keys(eventShapes)) expect(page).toContain(`\n### ${name} event\n`);
});

test("every link of the page leads to one of its headings or to a file of docs", () => {
  const headings = [...page.matchAll(/^#+ (.*)$/gm)].map(([, text = ""]) => text.toLowerCase().replaceAll(" ", "-"));
  expect(new Set(headings).size).toBe(headings.length);
  const targets = [...headings.map((heading) => `#${heading}`), ...generatedDocs().keys()];
  for (const [, target = ""] of page.matchAll(/\]\(([^)]+)\)/g)) expect(targets).toContain(target);
});

test("no field of the page is without a meaning", () => {
  expect(page.split("\n").filter((line) => line.startsWith("| `") && line.endsWith("|  |"))).toEqual([]);
});

test.each(names)(
  "the JSON Schema of %s has a dialect, a title, a description and examples, and no reference into nothing",
  (name) => {
    const schema = publishedSchema(name);
    expect(schema).toMatchObject({
      $schema: "https://json-schema.org/draft/2020-12/schema",
      title: expect.any(String),
    });
    expect(schema.description).toMatch(/\w/);
    expect(schema.examples).not.toHaveLength(0);
    for (const [, target = ""] of JSON.stringify(schema).matchAll(/"#\/\$defs\/([^"]+)"/g))
      expect(Object.keys(schema.$defs ?? {})).toContain(target);
  },
);

test("the JSON Schema of events says for each name what it carries", () => {
  const rules = publishedSchema("event")["allOf"] as { if: JsonSchema; then: JsonSchema }[];
  const tied = rules.map((rule) => [rule.if.properties?.["event"]?.["const"], rule.then.$ref]);
  expect(tied).toEqual(Object.keys(eventShapes).map((name) => [name, `#/$defs/${name}`]));
  expect(publishedSchema("event").$defs?.["finish"]?.required).toEqual(["result"]);
});

test("freshly written pages are not stale", () => {
  expect(writeDocs(folder)).toHaveLength(generatedDocs().size);
  expect(staleDocs(folder)).toEqual([]);
  expect(writeDocs(folder)).toEqual([]);
});

test("a changed file, a missing file and a file left over are stale, until they are written again", () => {
  writeDocs(folder);
  writeFileSync(join(folder, "schema", "request.json"), "{}");
  writeFileSync(join(folder, "schema", "gone.json"), "{}");
  rmSync(join(folder, "protocol.md"));
  expect(staleDocs(folder)).toEqual(["protocol.md", "schema/request.json", "schema/gone.json"]);
  writeDocs(folder);
  expect(staleDocs(folder)).toEqual([]);
});

test("npm run docs -- --check passes on the project, and names the stale file and the remedy otherwise", async () => {
  const check = () => promisify(execFile)(process.execPath, ["tools/docs.ts", "--check"], { cwd: root });
  await expect(check()).resolves.toMatchObject({ stderr: "" });
  writeDocs(folder);
  writeFileSync(join(folder, "protocol.md"), `${readFileSync(join(folder, "protocol.md"), "utf8")} `);
  const failure = promisify(execFile)(process.execPath, ["tools/docs.ts", "--check", folder], { cwd: root });
  await expect(failure).rejects.toMatchObject({ code: 1, stderr: "docs/protocol.md is stale: npm run docs\n" });
});
