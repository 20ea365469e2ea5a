/** The error for a persona that can't be used: it isn't there, or its files can't be read. */
import type { Personas } from "../../../personas/load.ts";
import { exitCodes } from "../../../protocol/runs/exit-codes.ts";
import { nearestName } from "../../../protocol/words/nearest-name.ts";
import { CommandError, usageError } from "../../command/command.ts";

export function missingPersona(
  name: string,
  { personas, problems }: Pick<Personas, "personas" | "problems">,
): CommandError {
  const problem = problems.find((one) => one.name === name);
  if (problem) {
    const message = `persona "${name}" can't be read: ${problem.path}: ${problem.error}`;
    return new CommandError("config", message, "fix the file, then: cortex persona check", exitCodes.usage);
  }
  const nearest = nearestName(name, personas.keys());
  const known = nearest
    ? `did you mean "${nearest}"?`
    : `known personas are ${[...personas.keys()].toSorted().join(", ")}`;
  return usageError(`there is no persona "${name}": ${known}`, "names: cortex persona list");
}
