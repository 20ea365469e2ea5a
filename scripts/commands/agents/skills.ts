/** `cortex skills`: the texts that agents read when they need them, and a change of one. */
import { SkillChangedError, skillText, writeSkill } from "../../../journal/agents/edit-skill.ts";
import { listSkills, SkillError } from "../../../journal/agents/skills.ts";
import { readEnvironment } from "../../../proc/programs/environment.ts";
import { packageFile } from "../../../proc/programs/package-file.ts";
import { exitCodes } from "../../../protocol/runs/exit-codes.ts";
import { nearestName } from "../../../protocol/words/nearest-name.ts";
import { columns } from "../../command/layout/columns.ts";
import { type Command, CommandError, parseCommandLine, unknownName, usageError } from "../../command/command.ts";
import { givenText } from "../../command/given-file.ts";

const help = `
Usage: cortex skills list [--json]
       cortex skills show NAME [--json]
       cortex skills put NAME [FILE] [--version VERSION] [--json]

  list   the skills, the journal's and those of the package, with what can't be read
  show   one as it is written; --json also has its version
  put    write one into the journal from FILE or standard input, or make it. --version: only if it is still this one

Agents know a changed skill when the program agents starts next.
`;

const options = { json: { type: "boolean" }, version: { type: "string" } } as const;

export const command: Command = {
  help,
  run: async (args) => {
    const { values, positionals } = parseCommandLine(args, options, "cortex skills", 3);
    const [action = "list", name, path] = positionals;
    const { json = false } = values;
    const journal = readEnvironment().journalPath;
    if (action === "list") return await list(journal, json);
    if (action !== "show" && action !== "put")
      throw unknownName("action", action, ["list", "show", "put"], "cortex skills");
    if (name === undefined) throw usageError(`cortex skills ${action} takes a name`, "names: cortex skills list");
    try {
      return action === "show"
        ? await show(journal, name, json)
        : await put(journal, name, { path, version: values.version, json });
    } catch (error) {
      if (error instanceof SkillChangedError)
        throw new CommandError("conflict", error.message, `see: cortex skills show ${name} --json`, exitCodes.refused, {
          cause: error,
        });
      if (error instanceof SkillError) throw usageError(error.message, "see: cortex skills --help", error);
      throw error;
    }
  },
};

async function list(journal: string, json: boolean): Promise<number> {
  const problems: { name: string; error: string }[] = [];
  const skills = await listSkills(journal, {
    builtIn: packageFile("skills"),
    onProblem: ({ name, error }) => problems.push({ name, error: error.message }),
  });
  if (json) {
    const all = skills.map(({ name, description, source }) => ({ name, description, source }));
    process.stdout.write(`${JSON.stringify({ skills: all, problems })}\n`);
    return exitCodes.done;
  }
  const rows = skills.map(({ name, source, description }) => [name, source, description]);
  process.stdout.write(`${columns([["NAME", "FROM", "WHAT FOR"], ...rows])}\n`);
  for (const { name, error } of problems) process.stderr.write(`${name}: ${error}\n`);
  return exitCodes.done;
}

async function show(journal: string, name: string, json: boolean): Promise<number> {
  const skill = skillText(journal, name, packageFile("skills"));
  if (!skill) throw await missing(journal, name);
  process.stdout.write(json ? `${JSON.stringify({ skill })}\n` : skill.text);
  return exitCodes.done;
}

type Put = { path: string | undefined; version: string | undefined; json: boolean };

async function put(journal: string, name: string, { path, version, json }: Put): Promise<number> {
  const builtIn = packageFile("skills");
  const text = await givenText(path, "cortex skills");
  const before = skillText(journal, name, builtIn)?.version ?? null;
  await writeSkill(journal, { name, text, version: version ?? before, builtIn });
  const skill = skillText(journal, name, builtIn);
  process.stdout.write(json ? `${JSON.stringify({ skill })}\n` : `${name}: version ${skill?.version}\n`);
  return exitCodes.done;
}

async function missing(journal: string, name: string): Promise<CommandError> {
  const names = (await listSkills(journal, { builtIn: packageFile("skills") })).map((one) => one.name);
  const nearest = nearestName(name, names);
  return usageError(
    `there is no skill "${name}"${nearest ? `: did you mean "${nearest}"?` : ""}`,
    "names: cortex skills list",
  );
}
