/** `cortex persona`: which personas there are, what one says, and what is wrong with them. */
import { join } from "node:path";
import { messageOf } from "../../../files/errors/error-message.ts";
import { unknownTools } from "../../../cortex/plan/unknown-tools.ts";
import { listApps } from "../../../journal/programs/apps.ts";
import { readSettings, SettingsError } from "../../../journal/config/settings.ts";
import { packageFile } from "../../../proc/programs/package-file.ts";
import { expandTools } from "../../../protocol/settings/packs.ts";
import type { Persona } from "../../../protocol/settings/persona.ts";
import { loadPersonas, type PersonaProblem, type Personas } from "../../../personas/load.ts";
import { keptVersion, keptVersions } from "../../../personas/persona-versions.ts";
import { readEnvironment } from "../../../proc/programs/environment.ts";
import { exitCodes } from "../../../protocol/runs/exit-codes.ts";
import { readSchedule } from "../../../schedule/calendar/scheduled.ts";
import { columns } from "../../command/layout/columns.ts";
import { type Command, parseCommandLine, unknownName, usageError } from "../../command/command.ts";
import { asTyped } from "../../command/typed-command.ts";
import { missingPersona } from "./persona-missing.ts";
import { putPersona } from "./persona-put.ts";

const help = `
Usage: cortex persona list|show NAME|versions NAME [VERSION]|check [--json]
       cortex persona put NAME [--text FILE] [--settings FILE] [--version VERSION] [--json]
       cortex persona preview NAME [--text FILE] [--settings FILE] [--json]
       cortex persona try NAME TEXT [--text FILE] [--settings FILE] [--facet NAME] [--detach] [--json]

  list        all personas, including those that can't be read
  show NAME   one persona: its settings and its instructions
  versions    what a persona was before it was changed on the page or by a command; one of them with its text
  put         write a persona of the journal, or make one: its text, its settings, or both; "-" is standard input.
              --version: only if it is still this one. A built-in one gets files of its own in the journal
  preview     what the model is told: the instructions and tools of its runs and, while the agents run, what its
              long-lived agents are told; with --text and --settings as it would be with these. Nothing is saved;
              exits 2 if it couldn't be
  try         ask it TEXT ("-": standard input), and wait for the answer, as cortex-request does; with --text and
              --settings as it would be with these, but for what a request can't set. Where its results go stays as
              it is saved. --detach: print the run's id and exit; --json: every event as a line
  check       the errors in any of them; exits 2 if there are some

Personas are the built-in ones and those in the journal's personas/ folder: NAME.txt, and NAME.json for settings.
`;

export const command: Command = {
  help,
  run: (args) => {
    const [first, ...rest] = args;
    if (first === "put") return putPersona(rest, readEnvironment().journalPath);
    // Imported by who uses them: the others need neither the bus nor its client.
    if (first === "preview") return import("./persona-preview.ts").then(({ previewAction }) => previewAction(rest));
    if (first === "try") return import("./persona-try.ts").then(({ tryAction }) => tryAction(rest));
    const { values, positionals } = parseCommandLine(args, { json: { type: "boolean" } }, "cortex persona");
    const [action = "list", ...names] = positionals;
    const loaded = loadPersonas(readEnvironment().journalPath);
    const json = values.json ?? false;
    if (action === "versions") return Promise.resolve(versions(names, readEnvironment().journalPath, json));
    if (action !== "show" && names.length > 0)
      throw usageError(`unexpected "${names.join(" ")}"`, "see: cortex persona --help");
    if (action === "list") return Promise.resolve(list(loaded, json));
    if (action === "check")
      return Promise.resolve(check(withTools(withSchedules(loaded), readEnvironment().journalPath), json));
    if (action !== "show")
      throw unknownName(
        "action",
        action,
        ["list", "show", "versions", "put", "preview", "try", "check"],
        "cortex persona",
      );
    const [name] = names;
    if (name === undefined || names.length > 1)
      throw usageError("cortex persona show takes one name", "names: cortex persona list");
    return Promise.resolve(show(name, loaded, json));
  },
};

function list({ personas, problems }: Personas, json: boolean): number {
  const sorted = [...personas.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
  if (json) {
    print({ personas: sorted.map(summary), problems });
    return exitCodes.done;
  }
  const rows = sorted.map(({ name, source, settings: { schedule = "-", task, title = "", description = "" } }) => [
    name,
    source,
    schedule,
    `${task ? "sub-agent: " : ""}${description || title}`,
  ]);
  process.stdout.write(`${columns([["NAME", "FROM", "SCHEDULE", "WHAT FOR"], ...rows])}\n`);
  if (problems.length > 0) process.stderr.write(asTyped(`${problems.length} can't be read: cortex persona check\n`));
  return exitCodes.done;
}

function show(name: string, { personas, problems }: Personas, json: boolean): number {
  const persona = personas.get(name);
  if (!persona) throw missingPersona(name, { personas, problems });
  const { instruction, settings, ...rest } = persona;
  if (json) {
    print({ persona: { ...rest, ...settings, instruction } });
    return exitCodes.done;
  }
  const rows = Object.entries({ ...rest, ...settings }).map(([key, value]) => [
    key,
    typeof value === "string" ? value : JSON.stringify(value),
  ]);
  process.stdout.write(`${columns(rows)}\n\n${instruction}\n`);
  return exitCodes.done;
}

function versions([name, version, ...more]: string[], journal: string, json: boolean): number {
  if (name === undefined || more.length > 0)
    throw usageError("cortex persona versions takes a name, and perhaps a version", "names: cortex persona list");
  if (version === undefined) {
    const kept = keptVersions(journal, name).map((one) => ({
      version: one.version,
      at: new Date(one.at).toISOString(),
    }));
    if (json) print({ persona: name, versions: kept });
    else {
      const rows = kept.map((one) => [one.version, one.at]);
      process.stdout.write(`${kept.length === 0 ? "never changed here" : columns([["VERSION", "SINCE"], ...rows])}\n`);
    }
    return exitCodes.done;
  }
  const found = keptVersion(journal, name, version);
  if (!found) throw usageError(`"${name}" has no version ${version}`, `see: cortex persona versions ${name}`);
  if (json) print({ persona: name, ...found });
  else process.stdout.write([found.text, found.settings].filter((part) => part !== null).join("\n"));
  return exitCodes.done;
}

/** A schedule that can't be read leaves the persona usable: it is a warning. */
function withSchedules(loaded: Personas): Personas {
  const wrong = [...loaded.personas.values()].flatMap((persona) => {
    try {
      readSchedule(persona, persona.settings.schedule ?? "daily");
      return [];
    } catch (error) {
      const reason = messageOf(error);
      const path = persona.path.replace(/txt$/, "json");
      return [{ name: persona.name, path, error: `schedule: ${reason}; it never runs by itself` }];
    }
  });
  return { ...loaded, warnings: [...loaded.warnings, ...wrong] };
}

/** Tools that nothing is called: each of its runs would end at once. */
function withTools(loaded: Personas, journal: string): Personas {
  const apps = listApps([packageFile("apps"), join(journal, "apps")]).map(({ name }) => name);
  const names: string[] = [...declaredServers(journal), ...apps];
  const outside = Object.fromEntries(names.map((name): [string, string[]] => [name, []]));
  const wrong = [...loaded.personas.values()].flatMap(({ name, path, settings: { tools } }) => {
    const error = unknownTools(expandTools(tools, outside).unknown, tools, { names });
    return error === null ? [] : [{ name, path: path.replace(/txt$/, "json"), error }];
  });
  return { ...loaded, problems: [...loaded.problems, ...wrong] };
}

/** None where the settings can't be read: cortex config check tells that. */
function declaredServers(journal: string): string[] {
  try {
    return Object.keys(readSettings(journal).mcp_servers ?? {});
  } catch (error) {
    if (error instanceof SettingsError) return [];
    throw error;
  }
}

function check({ personas, problems, warnings }: Personas, json: boolean): number {
  if (json) print({ ok: problems.length === 0, checked: personas.size, problems, warnings });
  else {
    for (const problem of problems) process.stdout.write(`✗ ${told(problem)}\n`);
    for (const warning of warnings) process.stdout.write(`! ${told(warning)}\n`);
    const unusable = problems.filter(({ name }) => name !== null && personas.has(name)).length;
    process.stdout.write(`${personas.size - unusable} personas can be used, ${problems.length} can't\n`);
  }
  return problems.length > 0 ? exitCodes.usage : exitCodes.done;
}

function summary({ name, source, path, settings }: Persona) {
  return { name, source, path, title: null, description: null, schedule: null, ...settings };
}

function told({ name, path, error }: PersonaProblem): string {
  return `${name ? `${name}: ` : ""}${path}: ${error}`;
}

function print(document: unknown): void {
  process.stdout.write(`${JSON.stringify(document)}\n`);
}
