/** `cortex channels list|check|add`, against the played Bot API of Telegram. */
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { writeEndpoints } from "../../../../journal/access/endpoints.ts";
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

test("a channel may be the first that is ever set up: there is no journal yet", async () => {
  const journal = join(newJournal(), "share/cortex/journal");
  expect(await add(journal, ["webhook"], whsec, "", "no")).toMatchObject({ exitCode: 0 });
  expect(settingsOf(journal)).toEqual({ channels: { webhook: { secret_file: "webhook-secret", owner: false } } });
  for (const [name, mode] of Object.entries({ "": 0o700, "webhook-secret": 0o600, "cortex.json": 0o600 }))
    expect(statSync(join(journal, name)).mode & 0o777).toBe(mode);
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

test("a bot is added where its service takes the token, and what isn't asked for stays", async () => {
  const standing = { api_url: api.root, webhook: { public_url: "https://bot.example", port: 0 } };
  const journal = newJournal({ channels: { telegram: { ...standing, enabled: false } } });
  const wrong = await add(journal, ["telegram"], `${botToken}x`, "");
  expect(wrong).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("Telegram: 401 Unauthorized") });
  expect(wrong.stderr).not.toContain(botToken);
  expect(settingsOf(journal)).toEqual({ channels: { telegram: { ...standing, enabled: false } } });
  const added = await add(journal, ["telegram", "--json"], botToken, "17, 18");
  expect(added.exitCode).toBe(0);
  const found = JSON.parse(added.stdout) as object;
  expect(found).toMatchObject({ ok: true, found: "the bot @Cortex_Bot", files: [join(journal, "telegram-token")] });
  const telegram = { ...standing, token_file: "telegram-token", allow: ["17", "18"] };
  expect(settingsOf(journal)).toEqual({ channels: { telegram } });
  expect(statSync(join(journal, "telegram-token")).mode & 0o777).toBe(0o600);
  expect(await add(journal, ["telegram"], botToken, "")).toMatchObject({ exitCode: 2 });
  // Nobody is named any more: anybody may write.
  expect(await add(journal, ["telegram", "--again"], botToken, "")).toMatchObject({ exitCode: 0 });
  expect(settingsOf(journal)).toEqual({ channels: { telegram: { ...standing, token_file: "telegram-token" } } });
});

test("a webhook's secret that can be guessed is taken, and said to be one", async () => {
  const journal = newJournal();
  const warned = expect.stringContaining("shorter than 16 bytes, it can be guessed: make one with echo");
  expect(await add(journal, ["webhook"], "guess-me", "", "no")).toMatchObject({ exitCode: 0, stdout: warned });
  expect(await runCortex(journal, ["channels", "check", "webhook"])).toMatchObject({ code: 0, stdout: warned });
});

test("a secret that stood in a variable stands in a file from then on", async () => {
  const journal = newJournal({ channels: { webhook: { secret_env: "HOOK_SECRET", port: 6299 } } });
  expect(await add(journal, ["webhook"], whsec, "", "no")).toMatchObject({ exitCode: 2 });
  expect(await add(journal, ["webhook", "--again"], whsec, "", "no")).toMatchObject({ exitCode: 0 });
  const webhook = { secret_file: "webhook-secret", port: 6299, owner: false };
  expect(settingsOf(journal)).toEqual({ channels: { webhook } });
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

test("where nothing runs, web is asked only by its name, or where it stands in the settings", async () => {
  const journal = newJournal();
  expect(await runCortex(journal, ["channels", "check"])).toMatchObject({
    code: 0,
    stdout: "no channel is set up: cortex channels add TYPE",
  });
  expect(await runCortexJson(journal, ["channels", "check"])).toEqual({ code: 0, document: { channels: [] } });
  const away = "web: it isn't running: cortex up";
  expect(await runCortex(journal, ["channels", "check", "web"])).toMatchObject({ code: 1, stdout: away });
  const named = newJournal({ channels: { web: { port: 0 } } });
  expect(await runCortex(named, ["channels", "check"])).toMatchObject({ code: 1, stdout: away });
});

test("a web program that is gone is said to be, with what to do", async () => {
  const journal = newJournal();
  const nats = { nats_url: "nats://127.0.0.1:1", nats_user: "client", nats_token: "t" };
  // Nobody listens at that port.
  await writeEndpoints(journal, { ...nats, web_url: "http://127.0.0.1:1", pid: process.pid });
  expect(await runCortex(journal, ["channels", "check", "web"])).toMatchObject({
    code: 1,
    stdout: "web: http://127.0.0.1:1 doesn't answer: cortex status says why",
  });
});

test("a token of Slack's that isn't there, or is another kind, is named", async () => {
  const journal = newJournal({ channels: { slack: { app_token_file: "app-token", bot_token_env: "BOT_TOKEN" } } });
  const path = join(journal, "app-token");
  const check = async () => (await runCortex(journal, ["channels", "check", "slack"])).stdout;
  expect(await check()).toBe(`slack: channels.slack.app_token_file: ${path} is not a file`);
  writeFileSync(path, "xapp-1-A\n");
  chmodSync(path, 0o644);
  expect(await check()).toBe(`slack: channels.slack.app_token_file: ${path} can be read by others: chmod 600 ${path}`);
  rmSync(path);
  writeFileSync(path, "xoxb-1-A\n", { mode: 0o600 });
  expect(await check()).toBe("slack: channels.slack.app_token: expected a token that begins with xapp-");
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
