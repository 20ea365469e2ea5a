import { expect, test } from "vitest";
import { reachableChannels } from "../../../protocol/agents/agents-settings.ts";
import { startedAdapters } from "../../../protocol/agents/channel-settings.ts";

test("web is started unless it is turned off, others where they are configured, and none that is the user's own", () => {
  expect(startedAdapters(undefined)).toEqual(["web"]);
  expect(
    startedAdapters({ telegram: { token_env: "T" }, webhook: { secret_env: "S" }, sms: { external: true } }),
  ).toEqual(["web", "webhook", "telegram"]);
  expect(
    startedAdapters({ web: { enabled: false }, telegram: { enabled: false }, webhook: { external: true } }),
  ).toEqual([]);
});

test("an agent is told of the terminal, of what is started, and of the user's own", () => {
  expect(reachableChannels(undefined)).toEqual(["cli", "web"]);
  expect(reachableChannels({ mail: {}, slack: { enabled: false }, sms: { external: true } })).toEqual([
    "cli",
    "web",
    "mail",
    "sms",
  ]);
});
