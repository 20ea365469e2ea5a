/** Mode, model and effort of a session: set as far as its agent offers them, and named where they can't be. */
import type { NewSessionResponse, SessionConfigOption } from "@agentclientprotocol/sdk";
import { errorWords } from "./failures.ts";
import type { AgentConnection } from "./agent-connection.ts";

export type Offered = Pick<NewSessionResponse, "modes" | "configOptions">;

export type Wish = { category: "mode" | "model" | "thought_level"; value: string };

/** The wishes' names in a request. */
const fields = { mode: "mode", model: "model", thought_level: "effort" } as const;

/** Sets what is wished for. Resolves with a sentence for each that can't be. */
export async function setOptions(
  connection: AgentConnection,
  sessionId: string,
  { modes, configOptions }: Offered,
  wishes: readonly Wish[],
  signal: AbortSignal,
): Promise<string[]> {
  const problems: string[] = [];
  for (const { category, value } of wishes) {
    const mode =
      category === "mode" ? modes?.availableModes.find((one) => isMeant(value, one.id, one.name)) : undefined;
    const option = configOptions?.find((one) => one.category === category);
    const chosen = option && valueOf(option, value);
    try {
      if (mode) await connection.request("session/set_mode", { sessionId, modeId: mode.id }, signal);
      else if (option && chosen !== undefined)
        await connection.request(
          "session/set_config_option",
          { sessionId, configId: option.id, value: chosen },
          signal,
        );
      else problems.push(cantBe(category, value, option, modes));
    } catch (error) {
      if (signal.aborted) throw error;
      problems.push(`${fields[category]} "${value}" was refused by the agent: ${errorWords(error)}`);
    }
  }
  return problems;
}

function cantBe(
  category: Wish["category"],
  value: string,
  option: SessionConfigOption | undefined,
  modes: Offered["modes"],
): string {
  const known =
    category === "mode" && modes
      ? modes.availableModes.map(({ id }) => id)
      : option
        ? valuesOf(option).map(([id]) => id)
        : [];
  const offered = known.length === 0 ? "it offers none" : `it offers ${known.slice(0, 20).join(", ")}`;
  return `${fields[category]} "${value}" can't be applied to this agent: ${offered}`;
}

const isMeant = (wanted: string, id: string, name: string) =>
  id === wanted || name.toLowerCase() === wanted.toLowerCase();

/** The value that is meant; a model may be named without its provider. */
function valueOf(option: SessionConfigOption, wanted: string): string | undefined {
  const values = valuesOf(option);
  const found =
    values.find(([id, name]) => isMeant(wanted, id, name)) ?? values.find(([id]) => id.endsWith(`/${wanted}`));
  return found?.[0];
}

function valuesOf(option: SessionConfigOption): [id: string, name: string][] {
  if (option.type !== "select") return [];
  return option.options.flatMap((one) =>
    "options" in one
      ? one.options.map(({ value, name }): [string, string] => [value, name])
      : [[one.value, one.name] satisfies [string, string]],
  );
}
