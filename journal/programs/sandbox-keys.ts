/** The keys that programs in a sandbox use, from the settings and the environment as they are now. */
import type { MaskedKey, SandboxKeys } from "../../protocol/settings/sandbox-keys.ts";
import { narrowedNetwork } from "../../protocol/runs/request/network.ts";
import { readChannelSecret } from "../channels/channel-secret.ts";
import { usableSettings } from "../config/settings.ts";

/**
 * Reads the keys that are sent to a host of these.
 * @param network what the program reaches, as settings have it
 * @throws ChannelSecretError for a key that isn't there, SettingsError
 */
export function sandboxKeys(journal: string, env: NodeJS.ProcessEnv, network: readonly string[]): MaskedKey[] {
  if (network.length === 0) return [];
  const settings: SandboxKeys = usableSettings(journal).settings.sandbox_keys ?? {};
  return Object.entries(settings).flatMap(([name, { hosts, key_file: file, key_env }]) => {
    if (narrowedNetwork(network, hosts).allowed.length === 0) return [];
    const variable = file === undefined ? (key_env ?? name) : key_env;
    const value = readChannelSecret(journal, env, { name: `sandbox_keys.${name}.key`, file, variable });
    return [{ name, value, hosts }];
  });
}
