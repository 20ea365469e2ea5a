/** The backends that runs on this journal may have, and what each still needs: for `cortex backends` and `cortex doctor`. */
import { basename } from "node:path";
import { acpCommand, type BackendChoice, backendFor } from "../../cortex/plan/backend-choice.ts";
import { programPath } from "../../cortex/process/run-command.ts";
import { meteredProviders } from "../../cortex/plan/metered-providers.ts";
import { versionOf } from "../../proc/os/program-version.ts";
import { acpPreset, acpPresetNames } from "../../protocol/settings/acp-presets.ts";
import { type BuiltInBackend, builtInBackends } from "../../protocol/settings/backends.ts";
import { modelProviders } from "../../protocol/settings/model-providers.ts";
import type { Settings } from "../../protocol/settings/settings.ts";
import { programMode, type SandboxMode } from "../../protocol/runs/request/sandbox-mode.ts";

/**
 * @field kind `acp`: a coding agent; `command`: a program that the settings declare
 * @field found whether its program is there
 * @field version as its program says it; null: it says none
 * @field key the variable of a key that is there and that it takes; null: none
 * @field metered whether a limit can refuse a call before it is made
 * @field sandbox whether its whole program runs in one
 * @field hint what it lacks and what to do; null: nothing
 */
export type ListedBackend = {
  name: string;
  kind: "built-in" | "acp" | "command";
  found: boolean;
  version: string | null;
  key: string | null;
  metered: boolean;
  sandbox: SandboxMode;
  hint: string | null;
};

/** Longest version that is shown. */
const versionLength = 40;

/** A coding agent loads all of itself before it says its version: one took 1.6 s of CPU time, and 6 s beside other work. */
const versionWithinMs = 20_000;

/** Lists them: the built-in ones, those of the settings, the coding agents that are known by name. @param keys the variables that cortex has */
export async function listBackends(
  journal: string,
  settings: Settings,
  keys: readonly string[],
): Promise<ListedBackend[]> {
  const declared = Object.keys(settings.backends ?? {});
  const names = [...new Set([...Object.keys(builtInBackends), ...declared, ...acpPresetNames])];
  return Promise.all(names.map((name) => listBackend(journal, backendFor(name, settings), keys)));
}

async function listBackend(journal: string, choice: BackendChoice, keys: readonly string[]): Promise<ListedBackend> {
  const environment = Object.fromEntries(keys.map((name) => [name, "set"]));
  if (choice.kind === "built-in") return builtIn(choice.name, keys);
  const { name, declared } = choice;
  const acp = acpCommand(choice);
  const [program = ""] = acp ?? declared.command ?? [];
  const path = programPath(journal, program);
  const providers = acp && acpPreset(name)?.providers;
  const metered = meteredProviders(choice, environment).filter((one) => !providers || providers.includes(one));
  const wanted = (providers ?? []).map((one) => modelProviders[one].key);
  const [first] = metered;
  return {
    name,
    kind: acp ? "acp" : "command",
    found: path !== null,
    version: path === null || !acp ? null : shownVersion(await versionOf(path, versionWithinMs)),
    key: first === undefined ? null : modelProviders[first].key,
    metered: first !== undefined,
    sandbox: programMode(declared.sandbox),
    hint: path === null ? missing(name, program) : first === undefined && acp ? unmetered(wanted) : null,
  };
}

function builtIn(name: string, keys: readonly string[]): ListedBackend {
  const {
    key,
    environment,
    hasOwnLoop = false,
  } = (builtInBackends as Record<string, BuiltInBackend>)[name] ?? {
    environment: [],
    seller: null,
  };
  const variable = key ?? (hasOwnLoop ? environment[0] : undefined);
  const present = variable !== undefined && keys.includes(variable) ? variable : null;
  const hint = key !== undefined && present === null ? `set ${key} where cortex runs` : null;
  return {
    name,
    kind: "built-in",
    found: true,
    version: null,
    key: present,
    metered: !hasOwnLoop || present !== null,
    sandbox: "off",
    hint: hasOwnLoop && present === null ? unmetered([variable ?? ""]) : hint,
  };
}

function missing(name: string, program: string): string {
  const preset = acpPreset(name);
  const how = preset?.command[0] === program ? preset.install : "install it, or correct cortex.json";
  return `${basename(program)} isn't on the PATH: ${how}`;
}

const unmetered = (keys: readonly string[]) =>
  keys.length === 0
    ? "it logs in by itself: its calls can't be metered"
    : `without ${keys.join(" or ")} it needs a login of its own, whose calls can't be metered`;

function shownVersion(said: string | null): string | null {
  const [line = ""] = (said ?? "").split("\n");
  const version = line.replaceAll(/\p{Cc}/gu, "").slice(0, versionLength);
  return version === "" ? null : version;
}
