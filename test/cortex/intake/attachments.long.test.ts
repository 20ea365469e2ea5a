/** Files of requests and inputs: stored once, told as references, and their bytes in nothing that is written down. */
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { execa } from "execa";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { recordOf } from "../../../cortex/plan/run-record.ts";
import { readBusAccess, writeEndpoints } from "../../../journal/access/endpoints.ts";
import type { AgentEvent } from "../../../protocol/runs/event.ts";
import { runCortex } from "../../scripts/run-command.ts";
import { CortexSystem, fixtureAgents } from "../../support/cortex-system.ts";
import { filesWith } from "../../support/files/files-with.ts";
import { noisyPng, pdf, png } from "../../support/files/sample-files.ts";

const code = realpathSync(mkdtempSync(join(tmpdir(), "cortex-code-")));
const system = await CortexSystem.start({
  settings: {
    ...fixtureAgents("scripted"),
    attachments: { max_mb: 1, kinds: ["image/*", "text/*"] },
    folders: [code],
    sandbox: "off",
  },
});
afterAll(async () => {
  await system[Symbol.asyncDispose]();
  rmSync(code, { recursive: true });
});
mkdirSync(join(system.journal, "20250109"));
writeFileSync(join(system.journal, "20250109/plan.png"), png(5, 5));

const library = fileURLToPath(new URL("../../../index.js", import.meta.url));
const config = [{ config: true as const }];
const told = (file: AgentEvent[]) =>
  JSON.parse(String(file.find(({ event }) => event === "finish")?.["result"])) as Record<string, unknown>;

/** Lets commands and programs find the bus. */
async function reachable(): Promise<void> {
  const access = readBusAccess(system.journal);
  const user = { nats_user: "client", nats_token: access?.passwords["client"] ?? "" };
  await writeEndpoints(system.journal, { nats_url: access?.url ?? "", ...user, pid: process.pid });
}

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

test("an input names files of the run's own folder, and no link leads out of it", async () => {
  const here = { ev: { event: "text", text: "here" } };
  const id = system.steps([here, { hear: true }, { ev: { event: "finish", result: "" } }]);
  await system.heard(id, "text");
  const folder = recordOf(system.journal, id)?.work_folder ?? "";
  writeFileSync(join(folder, "plot.png"), png(6, 6));
  symlinkSync(join(system.journal, ".run", "endpoints.json"), join(folder, "key.png"));
  symlinkSync(tmpdir(), join(folder, "out"));
  writeFileSync(`${folder}.png`, png());
  onTestFinished(() => rmSync(`${folder}.png`));
  const say = (path: string) =>
    system.bus.connection.publish(`cortex.input.${id}`, JSON.stringify({ text: path, attachments: [{ path }] }));
  for (const path of ["key.png", `out/${basename(folder)}.png`, `../${basename(folder)}.png`]) say(path);
  say("plot.png");
  const file = await system.settled(id);
  const refused = file.filter(({ event }) => event === "error").map(({ error }) => error);
  const outside = expect.stringMatching(/isn't (in the work folder or the journal|there)/);
  expect(refused).toEqual([expect.stringContaining("keys and tokens are kept there"), outside, outside]);
  const parts = [{ type: "file", name: "plot.png", size: png(6, 6).length }];
  expect(file.filter(({ event }) => event === "input")).toMatchObject([{ text: "plot.png", parts }]);
});

test("a run that is lost has its files in the next attempt, also when they are gone from where they were named", async () => {
  const path = join(system.journal, "fleeting.png");
  writeFileSync(path, png(3, 3));
  const go = join(system.journal, "go");
  const id = system.steps([{ ev: { event: "text", text: "here" } }, { await: go }, ...config], {
    attachments: [{ path: "fleeting.png" }],
  });
  await system.heard(id, "text");
  rmSync(path);
  system.killAttempt(id, 1);
  await system.until(() => system.of(id).filter(({ event }) => event === "start").length === 2, "the next attempt");
  writeFileSync(go, "");
  const file = await system.settled(id);
  expect(told(file)).toMatchObject({ attempt: 2, parts: [{ name: "fleeting.png", size: png(3, 3).length }] });
});

test("a run that is handed to gets the files that its part of the request names, with content or by path", async () => {
  const content = noisyPng(31);
  const data = content.toString("base64");
  const id = system.steps([{ ev: { event: "finish", result: "" } }], {
    handoff: {
      backend: "scripted",
      prompt: JSON.stringify(config),
      attachments: [{ name: "photo.png", data }, { path: "20250109/plan.png" }],
    },
  });
  const file = await system.settled(id);
  const child = String(file.find(({ event }) => event === "handoff")?.["to"]);
  expect(told(await system.closed(child))).toMatchObject({
    parts: [{ name: "photo.png", size: content.length }, { name: "plan.png" }],
  });
  expect(filesWith(system.journal, data.slice(30, 90))).toEqual([]);
});

test("a request names files of the folder where its run works, also of the one that it continues", async () => {
  writeFileSync(join(code, "diagram.png"), png(7, 7));
  symlinkSync(join(system.journal, "cortex.json"), join(code, "out.json"));
  const attachments = [{ path: "diagram.png" }];
  const parts = [{ type: "file", name: "diagram.png", size: png(7, 7).length }];
  const first = system.steps(config, { folder: code, attachments });
  expect(told(await system.closed(first))).toMatchObject({ parts });
  expect(told(await system.closed(system.steps(config, { continue_from: first, attachments })))).toMatchObject({
    parts,
  });
  for (const refused of [{ folder: code, attachments: [{ path: "out.json" }] }, { attachments }]) {
    const file = await system.closed(system.steps(config, refused));
    expect(file.map(({ event }) => event)).toEqual(["request", "error"]);
    expect(file[1]).toMatchObject({ reason: "config", error: expect.stringContaining("can't be taken") });
  }
});

test("the client library stores a file that is larger than the bus takes by itself", async () => {
  await reachable();
  const content = noisyPng(500);
  const program = `const { cortexRequest } = await import(process.argv[1]);
    const { text, data } = JSON.parse((await import("node:fs")).readFileSync(0, "utf8"));
    const attachments = [{ name: "large.png", data }];
    try {
      const { agent_id, result } = await cortexRequest({ prompt: text, backend: "scripted", attachments });
      console.log(JSON.stringify({ agent_id, result: (await result).result }));
    } catch (error) {
      console.log(JSON.stringify({ error: error.message }));
    }`;
  const ask = async (data: string) => {
    const { stdout } = await execa(process.execPath, ["--input-type=module", "-e", program, library], {
      env: { JOURNAL_PATH: system.journal },
      input: JSON.stringify({ text: JSON.stringify(config), data }),
    });
    return JSON.parse(stdout) as { agent_id: string; result: string; error?: string };
  };
  const { agent_id, result } = await ask(content.toString("base64"));
  expect(content.length).toBeGreaterThan(512 * 1024);
  expect(JSON.parse(result)).toMatchObject({ parts: [{ name: "large.png", mime: "image/png", size: content.length }] });
  const [asked] = await system.closed(agent_id);
  expect(asked?.["attachments"]).toEqual([{ id: expect.stringMatching(/^[0-9a-f]{64}$/), name: "large.png" }]);
  expect((await ask("%%%")).error).toContain("its data isn't base64");
  expect((await ask(pdf().toString("base64"))).error).toContain("its kind isn't taken (application/pdf)");
});

test("cortex-request stores the files of --attach first, wherever they are", async () => {
  const outside = mkdtempSync(join(tmpdir(), "cortex-outside-"));
  onTestFinished(() => rmSync(outside, { recursive: true }));
  const file = join(outside, "holiday.png");
  writeFileSync(file, noisyPng(500));
  await reachable();
  const run = () => runCortex(system.journal, ["request", "-b", "scripted", "--attach", file, JSON.stringify(config)]);
  const done = await run();
  expect(done.code).toBe(0);
  expect(JSON.parse(done.stdout)).toMatchObject({ parts: [{ name: "holiday.png", mime: "image/png" }] });
  writeFileSync(file, pdf());
  const refused = await run();
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain("its kind isn't taken (application/pdf)");
});

test("files go along with their content to a journal that isn't the one here, as far as the bus takes them", async () => {
  const elsewhere = mkdtempSync(join(tmpdir(), "cortex-elsewhere-"));
  onTestFinished(() => rmSync(elsewhere, { recursive: true }));
  const access = readBusAccess(system.journal);
  const url = new URL(access?.url ?? "");
  [url.username, url.password] = ["client", access?.passwords["client"] ?? ""];
  writeFileSync(join(elsewhere, "small.png"), noisyPng(50));
  writeFileSync(join(elsewhere, "large.png"), noisyPng(500));
  const send = (name: string) =>
    runCortex(elsewhere, ["request", "-b", "scripted", "--attach", join(elsewhere, name), JSON.stringify(config)], {
      NATS_URL: url.href,
    });
  const done = await send("small.png");
  expect(done).toMatchObject({ code: 0 });
  expect(JSON.parse(done.stdout)).toMatchObject({ parts: [{ name: "small.png", mime: "image/png" }] });
  expect(await send("large.png")).toMatchObject({ code: 2, stderr: expect.stringContaining("larger than 512 KiB") });
  expect(existsSync(join(elsewhere, "attachments"))).toBe(false);
});
