/** The web program by itself, with the page that was built: for tests of what needs no runs. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ChannelSettings } from "../../protocol/agents/channel-settings.ts";
import { ChannelSystem } from "../channels/channel-system.ts";

export type PageProgram = AsyncDisposable & {
  journal: string;
  url: string;
  /** The token of the owner. */
  token: string;
  readonly log: string;
  /** A link that lets one browser in. */
  link: () => Promise<string>;
};

/** @param settings of the channel */
export async function startPage(settings: ChannelSettings = {}): Promise<PageProgram> {
  const system = await ChannelSystem.start({ web: settings });
  const program = system.start("web");
  const url = await program.isReady().catch(async (error: unknown) => {
    await system[Symbol.asyncDispose]();
    throw error;
  });
  const token = readFileSync(join(system.journal, ".run/web-token"), "utf8").trim();
  return {
    journal: system.journal,
    url,
    token,
    get log() {
      return program.log;
    },
    link: () => linkOf(url, token),
    [Symbol.asyncDispose]: () => system[Symbol.asyncDispose](),
  };
}

/** A link to the page of a web program, for one browser. */
export async function linkOf(url: string, token: string): Promise<string> {
  const response = await fetch(`${url}/api/v1/session-links`, {
    method: "POST",
    headers: { Authorization: `Bearer ${token}` },
  });
  if (response.status !== 201) throw new Error(`no link: ${response.status} ${await response.text()}`);
  return ((await response.json()) as { url: string }).url;
}
