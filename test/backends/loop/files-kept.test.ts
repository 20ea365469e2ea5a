/** Files of a conversation in the loop: what is counted for an image, and the image of a call that is made again. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { ContextKeeper } from "../../../backends/loop/context/context-keeper.ts";
import { ContextSize } from "../../../backends/loop/context/context-size.ts";
import { ShownFiles } from "../../../backends/loop/files/shown-files.ts";
import { UsageTotals } from "../../../backends/provider/usage.ts";
import { neverEnded } from "../../../conversation/repair.ts";
import { storeAttachment } from "../../../files/attachment-store.ts";
import { ImageSizes } from "../../../files/image-sizes.ts";
import type { FilePart } from "../../../protocol/files/attachment.ts";
import type { Message } from "../../../protocol/runs/run-config.ts";
import { runScript, testRun } from "../../support/backends/agent-run.ts";
import { call, end, say, scripted } from "../../support/backends/scripted-provider.ts";
import { pdf, png } from "../../support/files/sample-files.ts";
import { startToolServer, type ToolServer } from "../../support/tool-server.ts";

const folder = mkdtempSync(join(tmpdir(), "cortex-files-kept-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const rules = { maxBytes: 1e8, kinds: ["image/*"] };
const stored = async (width: number, height: number): Promise<FilePart> =>
  storeAttachment(folder, "photo.png", [png(width, height)], rules);

const data = png(20, 10).toString("base64");
const startPhotos = () =>
  startToolServer({
    register: (mcp) =>
      mcp.registerTool("photo", { description: "Returns a photo." }, () => ({
        content: [{ type: "image", mimeType: "image/png", data }],
      })),
  });
const asked = ({ url }: ToolServer) => ({
  model: "m-1",
  prompt: "look",
  mcp_server_url: url,
  tools: ["photo"],
  attachments_folder: folder,
});

test.each([
  ["google", 4000, 3000, 6192],
  ["anthropic", 400, 300, 160],
  ["openai", 400, 300, 255],
])("an image counts as %s counts it at %i by %i: %i tokens", async (seller, width, height, tokens) => {
  const part = await stored(width, height);
  const images = new ImageSizes(folder);
  const size = new ContextSize({ instruction: "", context: "", tools: [] }, seller, images);
  const messages: Message[] = [{ role: "user", text: "look", parts: [part] }];
  const [unseen, without] = [size.estimate(messages), size.estimate([{ role: "user", text: "look", parts: [] }])];
  await images.look(messages);
  expect(Math.abs(size.estimate(messages) - without - tokens)).toBeLessThan(10);
  expect(Math.abs(unseen - without - 1600)).toBeLessThan(10);
});

test("an image that is gone counts as one whose size nobody knows", async () => {
  const images = new ImageSizes(folder);
  const gone: Message[] = [
    { role: "user", parts: [{ type: "file", id: "0".repeat(64), name: "a.png", mime: "image/png", size: 9 }] },
  ];
  const size = new ContextSize({ instruction: "", context: "", tools: [] }, "google", images);
  const before = size.estimate(gone);
  await images.look(gone);
  expect(size.estimate(gone)).toBe(before);
});

test.each([
  [{ kinds: ["text/*"] }, /not shown, its kind isn't taken \(image\/png\)/],
  [{ max_mb: 0.00001 }, /not shown, it is larger than/],
])("a file that a tool returns is held to the settings' %j", async (attachment_limits, why) => {
  await using server = await startPhotos();
  const run = testRun({ ...asked(server), attachment_limits });
  await runScript(run, { ...scripted([call("a", "photo"), end], [say("Nothing."), end]), takes: () => true });
  const told = run.events.find(({ event }) => event === "tool_end");
  expect([told?.["parts"], told?.["result"]]).toEqual([undefined, expect.stringMatching(why)]);
});

test("the image of a call that waited for a person, and is made again by a later attempt, is told and shown", async () => {
  await using server = await startPhotos();
  const history: Message[] = [
    { role: "user", text: "look" },
    { role: "assistant", calls: [{ call_id: "a", tool: "photo", args: {} }] },
    { role: "tool", call_id: "a", result: neverEnded, is_error: true },
  ];
  const run = testRun({
    ...asked(server),
    prompt_in_history: true,
    history,
    waiting_calls: ["a"],
  });
  const provider = { ...scripted([say("A photo."), end]), takes: () => true };
  await runScript(run, provider);
  const told = run.events.find(({ event }) => event === "tool_end");
  expect(told?.["parts"]).toEqual([expect.objectContaining({ type: "file", mime: "image/png" })]);
  const shown = provider.calls[0]?.messages.find(({ role }) => role === "tool");
  expect(shown).toMatchObject({ is_error: false, media: [{ kind: "image", mime: "image/png", data }] });
});

const lineOf = async (files: ShownFiles, ...parts: FilePart[]) =>
  (await files.show([{ role: "user", text: "look", parts }])).map(({ text, media = [] }) => ({
    lines: text?.split("\n\n").slice(1),
    media: media.length,
  }));

test("a file that no model could be shown says how large it is, and how it is opened all the same", async () => {
  const part = await storeAttachment(folder, "book.pdf", [Buffer.concat([pdf(), Buffer.alloc(15 * 2 ** 20)])], {
    maxBytes: 1e8,
    kinds: ["application/pdf"],
  });
  const [shown] = await lineOf(new ShownFiles(folder, () => true, ["read", "save", "bash"]), part);
  expect(shown).toEqual({
    lines: [
      expect.stringMatching(
        /^\[file book\.pdf: .*, not shown: it is too large for a model, 20\.0 MiB as it would be sent, of at most 18\.0 MiB; save with into: folder/,
      ),
    ],
    media: 0,
  });
});

test("of many files in one message those that have no room say why", async () => {
  const parts = await Promise.all(Array.from({ length: 21 }, (_, at) => stored(8, 8 + at)));
  const [shown] = await lineOf(new ShownFiles(folder, () => true, ["read"]), ...parts);
  expect(shown?.media).toBe(20);
  const without = shown?.lines?.filter((line) => line.includes("not shown"));
  expect(without).toEqual([
    expect.stringMatching(
      /take the room there is, 20 files and 18\.0 MiB; read with the path attachment:[0-9a-f]{64} shows it again\]$/,
    ),
  ]);
});

test.each([
  [["read", "save", "bash"], "save with into: folder puts it into the work folder, for commands"],
  [["read", "save"], "save puts it into the journal, or with into: folder into the work folder"],
  [["read", "bash"], "no tool of this run opens it"],
])("a file that the model doesn't take says how it is opened with the tools %j", async (tools, way) => {
  const part = await stored(9, 9);
  const [shown] = await lineOf(new ShownFiles(folder, () => false, tools), part);
  expect(shown).toEqual({
    lines: [expect.stringContaining(`not shown: this model takes none of its kind; ${way}]`)],
    media: 0,
  });
});

test("a file that is named since the model has refused one says so", async () => {
  const files = new ShownFiles(folder, () => true, []);
  files.refuse();
  const [shown] = await lineOf(files, await stored(9, 9));
  expect(shown?.lines).toEqual([
    expect.stringContaining("not shown: this model has refused a file, and is sent none since; no tool of this run"),
  ]);
});

test("a text that is too long to be read into a message says how it is read", async () => {
  const text = Buffer.alloc(65 * 2 ** 20, "line\n");
  const part = await storeAttachment(folder, "log.txt", [text], { maxBytes: 1e8, kinds: ["text/*"] });
  const [shown] = await lineOf(new ShownFiles(folder, () => true, ["read"]), part);
  expect(shown?.lines).toEqual([
    expect.stringMatching(
      /not shown: it has 68157440 bytes: at most 67108864 are read; read with the path attachment:/,
    ),
  ]);
});

test("an image that can't be made small enough says how it is opened", async () => {
  const part = await stored(11_000, 10_000);
  const [shown] = await lineOf(new ShownFiles(folder, () => true, ["save", "bash"]), part);
  expect(shown?.lines).toEqual([
    expect.stringMatching(/not shown: 11000 × 10000 pixels are more than are decoded; save with into: folder/),
  ]);
});

test("a file of any kind that people may hand in is kept of a tool's result, too", async () => {
  const blob = Buffer.from("PK\u0003\u0004\0\0", "latin1").toString("base64");
  await using server = await startToolServer({
    register: (mcp) =>
      mcp.registerTool("photo", { description: "Returns an archive." }, () => ({
        content: [{ type: "resource", resource: { uri: "file:///a.zip", mimeType: "application/zip", blob } }],
      })),
  });
  const run = testRun(asked(server));
  await runScript(run, scripted([call("a", "photo"), end], [say("Nothing."), end]));
  const told = run.events.find(({ event }) => event === "tool_end");
  expect(told?.["parts"]).toEqual([expect.objectContaining({ name: "a.zip", mime: "application/zip" })]);
});

test("what is kept of a conversation is measured with the sizes of its images", async () => {
  const photo = await stored(4000, 3000);
  const turns = Array.from({ length: 12 }, (_, at): Message[] => [
    { role: "user", text: `look ${at}`, parts: [photo] },
    { role: "assistant", text: "a roof" },
  ]).flat();
  const run = testRun({ attachments_folder: folder, context_window: { "*": 60_000 } });
  const provider = { ...scripted([say("Roofs."), end]), name: "google" };
  const frame = { instruction: "", context: "", tools: [] };
  const keeper = new ContextKeeper(run, provider, "m-1", frame, new UsageTotals());
  const compacted = await keeper.makeRoom(turns, 10);
  // Two fifths of four fifths of the window: room for three of 6192 tokens.
  const kept = compacted?.["kept"] as Message[];
  expect(kept.filter(({ parts }) => parts)).toEqual(Array(3).fill(expect.objectContaining({ parts: [photo] })));
});
