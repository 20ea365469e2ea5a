/** Files that a call is given with their content: they are stored before the call is told of. */
import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { z } from "zod";
import { maxDataBytes } from "../../../files/attachment-rules.ts";
import { contentPath } from "../../../protocol/files/attachment.ts";
import { runScript, testRun } from "../../support/backends/agent-run.ts";
import { call, end, say, scripted } from "../../support/backends/scripted-provider.ts";
import { startToolServer } from "../../support/tool-server.ts";

const folder = mkdtempSync(join(tmpdir(), "cortex-store-contents-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const content = "the harbor, by numbers: 1, 2, 3, 5, 8, 13";
const data = Buffer.from(content).toString("base64");
const id = createHash("sha256").update(content).digest("hex");
const given = { name: "harbor.txt", mime: "text/plain", data };

/** Lets a model call reply once. Resolves with what the tool got and with how the run's events show that. */
async function calledWith(attachments: unknown, limits?: { max_mb?: number; kinds?: string[] }, store = folder) {
  const got: unknown[] = [];
  await using server = await startToolServer({
    register: (mcp) =>
      mcp.registerTool("reply", { description: "Replies.", inputSchema: { attachments: z.any() } }, (args) => {
        got.push(args.attachments);
        return { content: [{ type: "text", text: "queued" }] };
      }),
  });
  const config = { model: "m-1", prompt: "tell", mcp_server_url: server.url, tools: ["reply"] };
  const run = testRun({ ...config, attachments_folder: store, ...(limits && { attachment_limits: limits }) });
  const provider = scripted([call("a", "reply", { attachments }), end], [say("Done."), end]);
  await runScript(run, provider);
  const shown = run.events.flatMap(({ event, args }) => (event.startsWith("tool_") ? [args] : []));
  return { got, shown };
}

test("the tool, and the events, have the id in the place of the content", async () => {
  const { got, shown } = await calledWith([given, { id }, { path: "a.txt" }]);
  const attachments = [{ name: "harbor.txt", id }, { id }, { path: "a.txt" }];
  expect(got).toEqual([attachments]);
  expect(shown).toEqual([{ attachments }, { attachments }]);
  expect(readFileSync(join(folder, contentPath(id)), "utf8")).toBe(content);
});

const other = Buffer.from("Other.").toString("base64");
const otherPath = join(folder, contentPath(createHash("sha256").update("Other.").digest("hex")));

test.each([
  ["of a kind that isn't taken", [{ name: "a.txt", data: other }], { kinds: ["image/*"] }],
  ["too large for the settings", [{ name: "a.txt", data: other }], { max_mb: 0.000001 }],
  ["too large for a message", [{ data: Buffer.alloc(maxDataBytes + 1).toString("base64") }], {}],
  ["no base64", [{ data: "no base64!" }], {}],
  ["none", [{ data: "" }], {}],
  ["beside an id", [{ id, data: other }], {}],
])("content that is %s goes to the tool as it is, which says why not, and no event has it", async (_, sent, limits) => {
  const { got, shown } = await calledWith(sent, limits);
  expect(got).toEqual([sent]);
  const attachments = sent.map((one) => ({ ...one, data: "***" }));
  expect(shown).toEqual([{ attachments }, { attachments }]);
  expect(existsSync(otherPath)).toBe(false);
});

test("content goes to the tool as it is where there is no place for it", async () => {
  const notFolder = join(folder, contentPath(id));
  const { got, shown } = await calledWith([given], {}, notFolder);
  expect(got).toEqual([[given]]);
  expect(shown).toHaveLength(2);
  expect(JSON.stringify(shown)).not.toContain(data);
});
