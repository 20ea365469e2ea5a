/** Files of requests and inputs: stored once, told as references, and their bytes in nothing that is written down. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { readBusAccess, writeEndpoints } from "../../journal/access/endpoints.ts";
import type { AgentEvent } from "../../protocol/runs/event.ts";
import { runCortex } from "../scripts/run-command.ts";
import { CortexSystem, fixtureAgents } from "../support/cortex-system.ts";
import { filesWith } from "../support/files-with.ts";
import { noisyPng, pdf, png } from "../support/sample-files.ts";

const system = await CortexSystem.start({
  settings: { ...fixtureAgents("scripted"), attachments: { max_mb: 1, kinds: ["image/*", "text/*"] } },
});
afterAll(() => system[Symbol.asyncDispose]());
mkdirSync(join(system.journal, "20250109"));
writeFileSync(join(system.journal, "20250109/plan.png"), png(5, 5));

const config = [{ config: true as const }];
const told = (file: AgentEvent[]) =>
  JSON.parse(String(file.find(({ event }) => event === "finish")?.["result"])) as Record<string, unknown>;

test("a request's files reach its agent as references, and their bytes stand in the store alone", async () => {
  const content = noisyPng(60);
  const data = content.toString("base64");
  const attachments = [{ name: "../photo.png", mime: "image/jpeg", data }, { path: "20250109/plan.png" }];
  const id = system.steps(config, { attachments });
  const file = await system.closed(id);
  const parts = [
    {
      type: "file",
      name: "photo.png",
      mime: "image/png",
      size: content.length,
      id: expect.stringMatching(/^[0-9a-f]{64}$/),
    },
    { type: "file", name: "plan.png", mime: "image/png", size: png(5, 5).length, id: expect.any(String) },
  ];
  expect(file[0]).toMatchObject({
    event: "request",
    parts,
    attachments: [{ data: "***" }, { path: "20250109/plan.png" }],
  });
  expect(told(file)).toMatchObject({ parts, attachments_folder: join(system.journal, "attachments") });
  const piece = data.slice(30, 90);
  expect(filesWith(system.journal, piece)).toEqual([]);
  expect(JSON.stringify([system.of(id), await system.stored(id), system.log])).not.toContain(piece);
  // The same again is known, and a run that goes on from it has them.
  system.steps(config, { attachments }, id);
  const next = await system.closed(system.steps(config, { continue_from: id }));
  expect(told(next)["history"]).toMatchObject([{ role: "user", parts }, { role: "assistant" }]);
});

test.each([
  [
    "of a kind that isn't taken",
    { name: "a.png", data: pdf().toString("base64") },
    "its kind isn't taken (application/pdf)",
  ],
  ["that isn't base64", { name: "a.png", data: "%%%" }, "its data isn't base64"],
  ["outside of the journal", { path: "/etc/passwd" }, "it isn't in the journal"],
  ["with a key", { path: ".run/endpoints.json" }, "keys and tokens are kept there"],
  ["that nobody has stored", { id: "0".repeat(64) }, "nothing is stored under that id"],
  ["that is too large", { path: "large.png" }, "it is larger than 1 MiB"],
])("a file %s ends the run before anything starts", async (_, attachment, why) => {
  writeFileSync(join(system.journal, "large.png"), Buffer.concat([png(), Buffer.alloc(1024 * 1024)]));
  const file = await system.closed(system.steps(config, { attachments: [attachment] }));
  expect(file.map(({ event }) => event)).toEqual(["request", "error"]);
  expect(file[1]).toMatchObject({ reason: "config", error: expect.stringContaining(why) });
});

test("a request that names a file in no way, or in two, is refused", async () => {
  for (const one of [{ name: "x" }, { path: "a", id: "0".repeat(64) }, { id: "../../x" }])
    expect(await system.answerTo({ prompt: "x", attachments: [one] })).toMatchObject({ reason: "invalid" });
});

test("an input brings files in its turn, and one whose file isn't taken is told of and passed over", async () => {
  const here = { ev: { event: "text", text: "here" } };
  const id = system.steps([here, { hear: true }, { hear: true }, { ev: { event: "finish", result: "" } }]);
  await system.heard(id, "text");
  const say = (input: object) => system.bus.connection.publish(`cortex.input.${id}`, JSON.stringify(input));
  say({ text: "look", attachments: [{ path: "20250109/plan.png" }] });
  say({ text: "and this", attachments: [{ path: "nowhere.png" }] });
  say({ text: "well?" });
  const file = await system.settled(id);
  const part = { type: "file", name: "plan.png", mime: "image/png" };
  const inputs = file.filter(({ event }) => event === "input" || event === "error");
  expect(inputs).toMatchObject([
    { event: "input", text: "look", parts: [part] },
    { event: "error", reason: "config", terminal: false, error: expect.stringContaining("nowhere.png") },
    { event: "input", text: "well?" },
  ]);
  const heard = file.filter(({ event, text }) => event === "text" && text !== "here").map(({ text }) => String(text));
  expect(heard.map((line) => JSON.parse(line))).toMatchObject([{ text: "look", parts: [part] }, { text: "well?" }]);
});

test("cortex-request stores the files of --attach first, wherever they are", async () => {
  const outside = mkdtempSync(join(tmpdir(), "cortex-outside-"));
  onTestFinished(() => rmSync(outside, { recursive: true }));
  const file = join(outside, "holiday.png");
  writeFileSync(file, noisyPng(500));
  const access = readBusAccess(system.journal);
  const user = { nats_user: "client", nats_token: access?.passwords["client"] ?? "" };
  await writeEndpoints(system.journal, { nats_url: access?.url ?? "", ...user, pid: process.pid });
  const run = () => runCortex(system.journal, ["request", "-b", "scripted", "--attach", file, JSON.stringify(config)]);
  const done = await run();
  expect(done.code).toBe(0);
  expect(JSON.parse(done.stdout)).toMatchObject({ parts: [{ name: "holiday.png", mime: "image/png" }] });
  writeFileSync(file, pdf());
  const refused = await run();
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain("its kind isn't taken (application/pdf)");
});
