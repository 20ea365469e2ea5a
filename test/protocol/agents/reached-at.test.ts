import { expect, test } from "vitest";
import { ReachedAt } from "../../../protocol/agents/channels/reached-at.ts";

test.each([
  "https://bot.example/telegram",
  "https://bot.example:8443",
  "http://127.0.0.1:6275/telegram",
  "http://localhost:6274",
  "http://[::1]:6274",
])("%s is an address at which a service may reach us", (address) => {
  expect(ReachedAt.safeParse(address).success).toBe(true);
});

test.each([
  "http://bot.example",
  "http://127.0.0.1.bot.example",
  "http://127.0.0.1@bot.example",
  "http://192.168.1.7:6274",
  "ftp://127.0.0.1",
  "127.0.0.1:6274",
  "",
])("%j is none", (address) => {
  expect(ReachedAt.safeParse(address).success).toBe(false);
});
