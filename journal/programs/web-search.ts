/** Where `web_search` searches, from the settings and the environment as they are now. */
import type { WebSearchSettings } from "../../protocol/settings/parts/web-search.ts";
import { ChannelSecretError, readChannelSecret } from "../channels/channel-secret.ts";
import { SettingsError, usableSettings } from "../config/settings.ts";

export type SearchEngine = { kind: "searxng"; url: string } | { kind: "brave"; url: string; key: string };

const usualBrave = "https://api.search.brave.com";
const usualVariable = "BRAVE_API_KEY";

/** The advice that turns the tool on, for people. */
export const webSearchRemedy = `set web_search in cortex.json: {"url": "http://127.0.0.1:8888"} for a SearXNG, or {"brave_key_file": "brave-key"} for Brave Search (or ${usualVariable} in the environment of cortex up). Models of anthropic, openai and google search by themselves, without it`;

/** The engine to ask; else why there is none. */
export function searchEngine(journal: string, env: NodeJS.ProcessEnv): { engine: SearchEngine } | { problem: string } {
  try {
    const settings = usableSettings(journal).settings.web_search ?? {};
    const engine = engineOf(journal, env, settings);
    return engine ? { engine } : { problem: webSearchRemedy };
  } catch (error) {
    if (error instanceof ChannelSecretError || error instanceof SettingsError) return { problem: error.message };
    throw error;
  }
}

/** @throws ChannelSecretError */
function engineOf(journal: string, env: NodeJS.ProcessEnv, settings: WebSearchSettings): SearchEngine | null {
  const { url, brave_key_file: file, brave_key_env: variable, brave_api_url: braveUrl = usualBrave } = settings;
  if (url !== undefined) return { kind: "searxng", url };
  const isNamed = file !== undefined || variable !== undefined;
  if (!isNamed && !env[usualVariable]) return null;
  const place = { name: "web_search.brave_key", file, variable: isNamed ? variable : usualVariable };
  return { kind: "brave", url: braveUrl, key: readChannelSecret(journal, env, place) };
}
