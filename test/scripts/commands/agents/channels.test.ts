/** `cortex channels`: texts to be pasted at a service, by the real command. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { runCortex } from "../../run-command.ts";

const journal = mkdtempSync(join(tmpdir(), "cortex-channels-"));
afterAll(() => rmSync(journal, { recursive: true, force: true }));

test("Slack's manifest has Socket Mode, buttons, and a scope for each event that it asks for", async () => {
  const { code, stdout } = await runCortex(journal, ["channels", "slack", "manifest", "--name", "Harbor"]);
  expect(code).toBe(0);
  const manifest = JSON.parse(stdout) as {
    features: object;
    oauth_config: { scopes: { bot: string[] } };
    settings: { event_subscriptions: { bot_events: string[] } };
  };
  expect(manifest).toMatchObject({
    display_information: { name: "Harbor" },
    features: { bot_user: { display_name: "Harbor" }, slash_commands: [{ command: "/cortex" }] },
    settings: { socket_mode_enabled: true, interactivity: { is_enabled: true }, token_rotation_enabled: false },
  });
  const scopes: Record<string, string> = {
    app_mention: "app_mentions:read",
    "message.channels": "channels:history",
    "message.groups": "groups:history",
    "message.im": "im:history",
    "message.mpim": "mpim:history",
  };
  const { bot } = manifest.oauth_config.scopes;
  const events = manifest.settings.event_subscriptions.bot_events;
  expect(events).toEqual(expect.arrayContaining([...Object.keys(scopes), "tokens_revoked", "app_uninstalled"]));
  for (const event of events) if (scopes[event] !== undefined) expect(bot).toContain(scopes[event]);
  for (const scope of [
    "chat:write",
    "commands",
    "files:read",
    "files:write",
    "im:write",
    "reactions:write",
    "users:read",
  ])
    expect(bot).toContain(scope);
});

test("a channel or an action that isn't known is named, with the one that was meant", async () => {
  expect(await runCortex(journal, ["channels", "slak", "manifest"])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('unknown action "slak": known actions are list, check, add, slack'),
  });
  expect(await runCortex(journal, ["channels", "slack"])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("no action was given: known actions are manifest"),
  });
  const long = await runCortex(journal, ["channels", "slack", "manifest", "--name", "x".repeat(36)]);
  expect(long).toMatchObject({ code: 2, stderr: expect.stringContaining("--name: expected 1 to 35 characters") });
});
