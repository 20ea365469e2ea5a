/** The choices of a session in the protocol's forms: modes, and the options mode, model and effort. */
import type { SessionConfigOption, SessionConfigSelectOption, SessionModeState } from "@agentclientprotocol/sdk";
import { loadPersonas } from "../../personas/load.ts";
import type { AcpDeps } from "../base/acp-deps.ts";
import { wrongParams } from "../base/request-error.ts";
import { effortValues } from "./efforts.ts";
import { asPersonaSays, modelValues } from "./models.ts";
import { isAgent, type Mode, type Modes, modesOf } from "./modes.ts";

/** The choice of a session. */
export type Chosen = { mode: string; model: string; effort: string };

export type Choices = { modes: Modes; models: string[] };

/** @throws NothingRunsError, NoAgentsError */
export async function choicesOf(deps: AcpDeps): Promise<Choices> {
  const { personas } = loadPersonas(deps.journal);
  return { modes: await modesOf(deps), models: modelValues(deps.journal, deps.settings(), personas.values()) };
}

/** The forms of a choice in answers and updates. */
export const shownChoice = (choices: Choices, chosen: Chosen) => ({
  modes: modeState(choices, chosen),
  configOptions: configOptions(choices, chosen),
});

const modeState = ({ modes: { personas, agents } }: Choices, { mode }: Chosen): SessionModeState => ({
  currentModeId: mode,
  availableModes: [...personas, ...agents],
});

/** An agent has its own model: there the mode is all that can be chosen. */
export function configOptions({ modes, models }: Choices, chosen: Chosen): SessionConfigOption[] {
  const mode: SessionConfigOption = {
    type: "select",
    id: "mode",
    name: "Persona or agent",
    category: "mode",
    currentValue: chosen.mode,
    options: [
      { group: "personas", name: "Personas", options: modes.personas.map(modeOption) },
      { group: "agents", name: "Long-lived agents", options: modes.agents.map(modeOption) },
    ],
  };
  if (isAgent(chosen.mode)) return [mode];
  const select = (id: "model" | "effort", name: string, category: string, values: readonly string[]) => ({
    type: "select" as const,
    id,
    name,
    category,
    currentValue: chosen[id],
    options: optionsOf(values, chosen[id]),
  });
  return [
    mode,
    select("model", "Model", "model", [asPersonaSays, ...models]),
    select("effort", "Effort", "thought_level", effortValues),
  ];
}

const modeOption = ({ id, name, description }: Mode): SessionConfigSelectOption => ({
  value: id,
  name,
  ...(description !== undefined && { description }),
});

/** A value that was chosen before, and that isn't there any more, stays as long as it is chosen. */
const optionsOf = (values: readonly string[], current: string): SessionConfigSelectOption[] =>
  [...new Set([...values, current])].map((value) => ({
    value,
    name: value === asPersonaSays ? "As the persona says" : value,
  }));

/** The choice with one option changed. @throws RequestError for an option or a value that there isn't */
export function withOption(choices: Choices, chosen: Chosen, option: string, value: unknown): Chosen {
  const allowed = valuesOf(choices, chosen).get(option);
  if (!allowed) throw wrongParams(`configId: there is no option "${option.slice(0, 100)}" here`);
  if (typeof value !== "string" || !allowed.includes(value))
    throw wrongParams(`${option}: there is no "${String(value).slice(0, 200)}"; expected one of ${allowed.join(", ")}`);
  return { ...chosen, [option]: value };
}

function valuesOf({ modes, models }: Choices, { mode }: Chosen): Map<string, readonly string[]> {
  const all = [...modes.personas, ...modes.agents].map(({ id }) => id);
  const ofRuns: [string, readonly string[]][] = [
    ["model", [asPersonaSays, ...models]],
    ["effort", effortValues],
  ];
  return new Map([["mode", all], ...(isAgent(mode) ? [] : ofRuns)]);
}
