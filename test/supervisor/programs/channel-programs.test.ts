/** When a channel's program is another one, and must make way. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { channelPrograms } from "../../../supervisor/programs/channel-programs.ts";

function programsOf(channels: object, env: NodeJS.ProcessEnv = {}) {
  const journal = mkdtempSync(join(tmpdir(), "channel-programs-"));
  onTestFinished(() => rmSync(journal, { recursive: true }));
  writeFileSync(join(journal, "cortex.json"), JSON.stringify({ channels }));
  const fingerprints = () =>
    Promise.all(channelPrograms(journal, env, []).map(async (one) => [one.name, await one.fingerprint()] as const));
  return { journal, fingerprints };
}

const password = { password_file: "page-password", public_url: "https://cortex.example" };

test.each([
  ["web", { web: password }, "page-password"],
  ["telegram", { telegram: { token_file: "bot-token" } }, "bot-token"],
  ["slack", { slack: { app_token_file: "app-token", bot_token_env: "T" } }, "app-token"],
  ["webhook", { webhook: { secret_file: "hook-secret" } }, "hook-secret"],
  ["mail", { mail: { imap: { host: "h", user: "u", password_file: "mail-password" } } }, "mail-password"],
])(
  "a secret's file of %s that is there, or is replaced, makes its program another one, and no other",
  async (type, channels, file) => {
    const { journal, fingerprints } = programsOf(channels);
    const [absent, same] = [await fingerprints(), await fingerprints()];
    expect(same).toEqual(absent);
    writeFileSync(join(journal, file), "one");
    const first = await fingerprints();
    writeFileSync(join(journal, file), "another");
    const second = await fingerprints();
    const changed = (before: typeof absent, after: typeof absent) =>
      after.filter(([, hash], index) => hash !== before[index]?.[1]).map(([name]) => name);
    expect(changed(absent, first)).toEqual([`channel-${type}`]);
    expect(changed(first, second)).toEqual([`channel-${type}`]);
  },
);

test("a secret's variable is part of its program", async () => {
  const env = { PAGE_PASSWORD: "one" };
  const { fingerprints } = programsOf({ web: { ...password, password_env: "PAGE_PASSWORD" } }, env);
  const before = await fingerprints();
  env.PAGE_PASSWORD = "another";
  const [[name, hash] = []] = await fingerprints();
  expect(name).toBe("channel-web");
  expect(hash).not.toBe(before[0]?.[1]);
});
