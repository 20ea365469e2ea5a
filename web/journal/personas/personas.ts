/** Personas: what each says, what it was before, and what its runs are told. */
import { editPersona } from "../../../personas/edit-persona.ts";
import { loadPersonas } from "../../../personas/load.ts";
import { type PersonaFiles, readPersonaFiles } from "../../../personas/persona-files.ts";
import { keptVersion, keptVersions } from "../../../personas/persona-versions.ts";
import { isRecord } from "../../../protocol/json/json-object.ts";
import { parseJson } from "../../../protocol/json/parse-json.ts";
import { expandTools } from "../../../protocol/settings/packs.ts";
import { WorkspaceError } from "../../../workspace/records/workspace-error.ts";
import { timeOf } from "../../../workspace/records/fields.ts";
import { type Machine, UnavailableError } from "../../machine/machine.ts";
import { NoAgentsError } from "../../../bus/agents/agent-calls.ts";
import { askAgents } from "../access/agents-service.ts";
import { schemaOf } from "../access/schema-of.ts";
import { PersonaSettings } from "../../../protocol/settings/persona.ts";

type Journal = Pick<Machine, "journal">;

export function listPersonas({ journal }: Journal) {
  const { personas, problems } = loadPersonas(journal);
  const usable = [...personas.values()].map(({ name, source, settings }) => {
    const { title = null, description = null, backend = null, model = null, schedule = null } = settings;
    const { task = false, disabled = false } = settings;
    return { name, source, title, description, backend, model, schedule, task, disabled, problem: null };
  });
  const none = { title: null, description: null, backend: null, model: null, schedule: null };
  const broken = problems
    .filter(({ name }) => name !== "" && !personas.has(name))
    .map(({ name, error }) => {
      const source = name.includes(":") ? `app:${name.split(":")[0]}` : "journal";
      return { ...none, name, source, task: false, disabled: false, problem: error };
    });
  const items = [...usable, ...broken].toSorted((one, other) => (one.name < other.name ? -1 : 1));
  return { items, next: null };
}

export function getPersona({ journal }: Journal, name: string) {
  const files = filesOf(journal, name);
  const { problems, warnings } = loadPersonas(journal);
  return {
    name,
    source: files.source,
    version: files.version,
    instruction: files.text ?? "",
    settings: settingsOf(files.settings),
    settings_text: files.settings,
    can_be_changed: !name.includes(":"),
    problem: problems.find((problem) => problem.name === name)?.error ?? null,
    warnings: warnings.filter((warning) => warning.name === name).map(({ error }) => error),
    schema: schemaOf(PersonaSettings),
  };
}

type NewPersona = { name: string; instruction: string; settings: Record<string, unknown> };

export async function createPersona(machine: Journal, { name, instruction, settings }: NewPersona) {
  await editPersona(machine.journal, name, null, { text: instruction, settings });
  return getPersona(machine, name);
}

type Change = {
  version: string;
  instruction?: string | undefined;
  settings?: Record<string, unknown> | undefined;
};

export async function changePersona(machine: Journal, name: string, { version, instruction, settings }: Change) {
  filesOf(machine.journal, name);
  await editPersona(machine.journal, name, version, { text: instruction, settings });
  return getPersona(machine, name);
}

/** As it is first, then what was kept. */
export function personaVersions({ journal }: Journal, name: string) {
  const { version } = filesOf(journal, name);
  const kept = keptVersions(journal, name).map((one) => ({ version: one.version, at: timeOf(one.at) }));
  const isKept = kept[0]?.version === version;
  return { items: [...(isKept ? [] : [{ version, at: null }]), ...kept], next: null };
}

export function personaDiff(
  { journal }: Journal,
  name: string,
  { from, to }: { from: string; to?: string | undefined },
) {
  const now = filesOf(journal, name);
  const textOf = (version: string) => {
    const found = version === now.version ? now : keptVersion(journal, name, version);
    if (!found) throw new WorkspaceError("not_found", `the persona "${name}" has no version ${version}`);
    return { version, instruction: found.text ?? "", settings_text: found.settings ?? "" };
  };
  return { from: textOf(from), to: textOf(to ?? now.version) };
}

/** Builds the prompt of its runs, as it stands now; and that of its agents, as long as their service runs. */
export async function personaPrompt(machine: Machine, name: string) {
  const persona = loadPersonas(machine.journal).personas.get(name);
  if (!persona) throw new WorkspaceError("not_found", `there is no persona "${name}" that can be used`);
  const { instruction, settings } = persona;
  const tools = settings.disable_mcp ? [] : expandTools(settings.tools).names;
  return { instruction, tools, companion: await companionPrompt(machine, name) };
}

type CompanionPrompt = { owner: string; stranger: string; task: string; tools: string[] };

async function companionPrompt(machine: Machine, persona: string): Promise<CompanionPrompt | null> {
  try {
    return (await askAgents(machine, "prompts show", { persona })) as CompanionPrompt;
  } catch (error) {
    if (error instanceof UnavailableError || error instanceof NoAgentsError) return null;
    if (error instanceof WorkspaceError) return null;
    throw error;
  }
}

function filesOf(journal: string, name: string): PersonaFiles {
  const files = readPersonaFiles(journal, name);
  if (!files) throw new WorkspaceError("not_found", `there is no persona "${name}"`);
  return files;
}

function settingsOf(text: string | null): Record<string, unknown> | null {
  try {
    const value: unknown = parseJson(text ?? "{}");
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
}
