/** `cortex channels list|check|add`, against the played Bot API of Telegram. */
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { BotApi, botToken } from "../../../channels/telegram/bot-api.ts";
import { runCortex, runCortexJson, spawnCortex } from "../../run-command.ts";

const api = await BotApi.start();
const journals: string[] = [];
afterAll(async () => {
  for (const journal of journals) rmSync(journal, { recursive: true, force: true });
  await api[Symbol.asyncDispose]();
});

function newJournal(settings?: Record<string, unknown>): string {
  const journal = mkdtempSync(join(tmpdir(), "cortex-add-channel-"));
  journals.push(journal);
  if (settings) writeFileSync(join(journal, "cortex.json"), JSON.stringify(settings));
  return journal;
}
const settingsOf = (journal: string) => JSON.parse(readFileSync(join(journal, "cortex.json"), "utf8")) as object;
const add = (journal: string, args: string[], ...answers: string[]) =>
  spawnCortex(journal, ["channels", "add", ...args], {}, answers.map((answer) => `${answer}\n`).join(""));

const whsec = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;

test("a webhook is added: its secret where its owner alone can read it, its settings beside what stands there", async () => {
  const journal = newJournal({ max_concurrent: 2, channels: { web: { port: 0 } } });
  const added = await add(journal, ["webhook", "--json"], whsec, "https://example.org/hook", "yes");
  expect(added).toMatchObject({ exitCode: 0, stderr: expect.not.stringContaining(whsec) });
  const webhook = { secret_file: "webhook-secret", url: "https://example.org/hook", owner: true };
  expect(JSON.parse(added.stdout)).toMatchObject({ ok: true, type: "webhook", settings: webhook });
  expect(settingsOf(journal)).toEqual({ max_concurrent: 2, channels: { web: { port: 0 }, webhook } });
  const path = join(journal, "webhook-secret");
  expect(readFileSync(path, "utf8")).toBe(`${whsec}\n`);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(await runCortex(journal, ["channels", "check", "webhook"])).toMatchObject({
    code: 0,
    stdout: "webhook: ok, a secret; answers go to example.org",
  });

  const other = `whsec_${Buffer.alloc(32, 8).toString("base64")}`;
  expect(await add(journal, ["webhook"], other, "", "")).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining("--again"),
  });
  expect((await add(journal, ["webhook", "--again"], other, "", "")).exitCode).toBe(0);
  expect(readFileSync(path, "utf8")).toBe(`${other}\n`);
  expect(settingsOf(journal)).toMatchObject({ channels: { webhook: { secret_file: "webhook-secret", owner: false } } });
});

test("what the service doesn't take is said, and nothing is written", async () => {
  const journal = newJournal();
  const refused = await add(journal, ["webhook"], "whsec_short", "", "no");
  expect(refused).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("24 to 64 bytes") });
  const wrong = await add(journal, ["webhook"], whsec, "", "perhaps");
  expect(wrong).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("expected yes or no") });
  const torn = await add(journal, ["webhook"], whsec);
  expect(torn).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("no answer to") });
  expect(existsSync(join(journal, "webhook-secret"))).toBe(false);
  expect(existsSync(join(journal, "cortex.json"))).toBe(false);
});

test("what is to be replaced stays as it was where the service doesn't take what is new", async () => {
  const journal = newJournal();
  expect((await add(journal, ["webhook"], whsec, "https://example.org/hook", "yes")).exitCode).toBe(0);
  const before = settingsOf(journal);
  const refused = await add(journal, ["webhook", "--again"], "whsec_short", "", "no");
  expect(refused).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("nothing was changed") });
  expect(readFileSync(join(journal, "webhook-secret"), "utf8")).toBe(`${whsec}\n`);
  expect(settingsOf(journal)).toEqual(before);
  expect(existsSync(join(journal, "webhook-secret.new"))).toBe(false);
});

test("check asks the services; list says what runs", async () => {
  const telegram = { token_file: "bot-token", api_url: api.root };
  const journal = newJournal({ channels: { web: { enabled: false }, telegram, sonar: { external: true } } });
  const token = (text: string) => writeFileSync(join(journal, "bot-token"), `${text}\n`, { mode: 0o600 });
  token(botToken);
  expect(await runCortexJson(journal, ["channels", "check"])).toEqual({
    code: 0,
    document: { channels: [{ type: "telegram", ok: true, found: "the bot @Cortex_Bot" }] },
  });
  token(`${botToken}x`);
  const { code, stdout } = await runCortex(journal, ["channels", "check"]);
  expect(code).toBe(1);
  expect(stdout).toBe("telegram: Telegram: 401 Unauthorized");
  const { document } = await runCortexJson(journal, ["channels", "list"]);
  expect(document["channels"]).toEqual(
    expect.arrayContaining([
      { type: "web", state: "off" },
      { type: "webhook", state: "not set up" },
      { type: "telegram", state: "not running" },
      { type: "sonar", state: "external" },
    ]),
  );
});

test("a type that there isn't is refused with those that there are", async () => {
  const journal = newJournal();
  expect(await add(journal, ["pigeon"])).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("telegram") });
  expect(await runCortex(journal, ["channels", "check", "pigeon"])).toMatchObject({ code: 2 });
  expect(await runCortex(journal, ["channels", "check", "mail"])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("cortex channels add mail"),
  });
});
