import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { afterAll, expect, test } from "vitest";
import { googleSchema } from "../../../backends/google/schema.ts";
import { schemaProblems } from "../../support/providers/google-rules.ts";

const require = createRequire(import.meta.url);
const folder = realpathSync(mkdtempSync(join(tmpdir(), "cortex-mcp-")));
afterAll(() => rmSync(folder, { recursive: true }));

test.each([
  ["server-everything", ["stdio"]],
  ["server-filesystem", [folder]],
])("every tool of %s can be described to Gemini", async (name, args) => {
  const manifest = require.resolve(`@modelcontextprotocol/${name}/package.json`);
  const client = new Client({ name: "test", version: "1" });
  const program = join(dirname(manifest), "dist/index.js");
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: [program, ...args], stderr: "ignore" }),
  );
  try {
    const { tools } = await client.listTools();
    expect(tools.length).toBeGreaterThan(5);
    for (const tool of tools) {
      const schema = googleSchema(tool.inputSchema);
      // Without a schema a tool has no arguments, and that must be so.
      if (schema === undefined) expect(Object.keys(tool.inputSchema.properties ?? {})).toEqual([]);
      else expect(schemaProblems(schema, tool.name)).toEqual([]);
    }
  } finally {
    await client.close();
  }
});
