/** The settings of the channel, checked as a whole: what is missing is said at the start. */
import { join } from "node:path";
import { hostOf, isLoopback } from "../../bus/connection/bus-url.ts";
import { SettingsError } from "../../journal/config/settings.ts";
import type { AdapterDeps } from "../adapter/open-adapter.ts";

/** Where signal-cli's daemon is, and the account that it speaks for. */
export type SignalConfig = { url: string; number: string };

/** @throws SettingsError */
export function readSignalConfig({ journal, settings }: Pick<AdapterDeps, "journal" | "settings">): SignalConfig {
  const { url, number } = settings;
  if (url === undefined || number === undefined) throw problem(journal, "channels.signal: expected url and number");
  const address = new URL(url);
  // It asks for no password, and what it is asked crosses the way in the clear.
  if (address.protocol !== "https:" && !isLoopback(hostOf(address)))
    throw problem(
      journal,
      "channels.signal.url: expected an address of this machine, such as http://127.0.0.1:8080, or https",
    );
  return { url: url.endsWith("/") ? url.slice(0, -1) : url, number };
}

const problem = (journal: string, text: string) => new SettingsError(join(journal, "cortex.json"), [text]);
