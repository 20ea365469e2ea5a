/** `cortex models`: asks the configured providers which models they have. */
import { type ListedModel, listedBackends, type ModelList, modelsOf } from "../../../backends/model-lists.ts";
import { readSettings } from "../../../journal/config/settings.ts";
import { readEnvironment } from "../../../proc/programs/environment.ts";
import { type BuiltInBackend, builtInBackends } from "../../../protocol/settings/backends.ts";
import { exitCodes } from "../../../protocol/runs/exit-codes.ts";
import { columns } from "../../command/layout/columns.ts";
import { type Command, parseCommandLine, usageError } from "../../command/command.ts";

const help = `
Usage: cortex models [BACKEND …] [--json]

Asks each provider whose key (or address) is set for its models, and marks the default one.
Prices and context windows come from a maintained list.
Exits 1 when a provider that was asked refuses or doesn't answer.
`;

const answerWithinMs = 20_000;

export const command: Command = {
  help,
  run: async (args) => {
    const { values, positionals } = parseCommandLine(args, { json: { type: "boolean" } }, "cortex models");
    const unknown = positionals.find((name) => !listedBackends.some((known) => known === name));
    if (unknown !== undefined)
      throw usageError(
        `"${unknown}" has no list of models: ${listedBackends.join(", ")} have`,
        "see: cortex models --help",
      );
    const defaults = readSettings(readEnvironment().journalPath).default_model ?? {};
    const asked = listedBackends.filter((name) =>
      positionals.length > 0 ? positionals.includes(name) : isConfigured(name),
    );
    const answers = await Promise.all(
      asked.map(async (backend) => {
        const list = await modelsOf(backend, process.env, AbortSignal.timeout(answerWithinMs));
        return { backend, default_model: defaults[backend] ?? null, ...list };
      }),
    );
    if (values.json) process.stdout.write(`${JSON.stringify({ backends: answers })}\n`);
    else process.stdout.write(answers.length > 0 ? answers.map(show).join("\n") : nothingConfigured());
    return answers.every(({ ok }) => ok) ? exitCodes.done : exitCodes.failed;
  },
};

/** A key, or an address of one's own, says that a provider is meant to be used. */
function isConfigured(name: keyof typeof builtInBackends): boolean {
  const backend: BuiltInBackend = builtInBackends[name];
  return backend.environment.some((variable) => Boolean(process.env[variable]));
}

function show({
  backend,
  default_model,
  ...list
}: { backend: string; default_model: string | null } & ModelList): string {
  if (!list.ok) return `✗ ${backend}: ${list.error}\n`;
  const rows = list.models.map((listed) => row(listed, default_model));
  const missing = default_model !== null && !list.models.some(({ model }) => model === default_model);
  const note = missing ? `  ! the default of cortex.json, ${default_model}, isn't among them\n` : "";
  return `✓ ${backend}: ${list.models.length} models\n${columns([["  MODEL", "TAKES IN", "USD PER MILLION TOKENS"], ...rows])}\n${note}`;
}

function row({ model, context_window, input_usd, output_usd }: ListedModel, defaultModel: string | null): string[] {
  const price = input_usd === null ? "unknown" : `${input_usd} in, ${output_usd ?? "?"} out`;
  return [
    `  ${model}`,
    context_window === null ? "unknown" : String(context_window),
    price,
    model === defaultModel ? "default" : "",
  ];
}

function nothingConfigured(): string {
  const table: Record<string, BuiltInBackend> = builtInBackends;
  const keys = listedBackends.flatMap((name) => table[name]?.key ?? []);
  return `no provider is configured: set one of ${keys.join(", ")}\n`;
}
