/** `cortex workspace agents`: list, export, import, diff; versions, publish and remove are in `agent-versions.ts`. */
import { replaceFile } from "../../../files/writing/replace-file.ts";
import { exitCodes } from "../../../protocol/runs/exit-codes.ts";
import { columns } from "../../command/layout/columns.ts";
import { unknownName, usageError } from "../../command/command.ts";
import { shorten } from "../../command/layout/text.ts";
import { agentNamed, publishVersion, removeAgent, showVersions } from "./agent-versions.ts";
import { agentsOf, differences, type Imported, importAgents, readAgentsFile, yamlOf } from "./agents-file.ts";
import { printResult, type WorkspaceLink } from "../lookup/workspace-link.ts";

const actions = ["list", "export", "import", "diff", "versions", "publish", "remove"] as const;

export type AgentsOptions = { json: boolean; isDryRun: boolean };

export async function agentsAction(
  link: WorkspaceLink,
  workspaceId: string,
  [action = "list", file, version]: string[],
  { json, isDryRun }: AgentsOptions,
): Promise<number> {
  switch (action as (typeof actions)[number]) {
    case "list": {
      const agents = await agentsOf(link, workspaceId);
      const rows = agents.map(({ slug, display_name, model, version, is_active, is_system, description }) => [
        is_system ? slug : `@${slug}`,
        display_name,
        model ?? "-",
        String(version),
        is_active ? (is_system ? "system" : "active") : "off",
        shorten(description, 200),
      ]);
      return printResult(json, { agents }, () =>
        columns([["AGENT", "NAME", "MODEL", "VERSION", "STATE", "WHAT FOR"], ...rows]),
      );
    }
    case "export": {
      const agents = await agentsOf(link, workspaceId);
      const text = yamlOf(agents);
      if (file === undefined || file === "-") {
        process.stdout.write(json ? `${JSON.stringify({ yaml: text })}\n` : text);
        return exitCodes.done;
      }
      await replaceFile(file, text, 0o644);
      return printResult(
        json,
        { ok: true, path: file, agents: agents.length },
        () => `${agents.length} agents in ${file}`,
      );
    }
    case "import": {
      const imported = await importAgents(link, workspaceId, await readAgentsFile(needed(file, "import")), isDryRun);
      printResult(json, { ok: true, dry_run: isDryRun, agents: imported }, () => importedText(imported, isDryRun));
      return exitCodes.done;
    }
    case "diff": {
      const found = differences(await agentsOf(link, workspaceId), await readAgentsFile(needed(file, "diff")));
      printResult(json, { same: found.length === 0, differences: found }, () =>
        found.length === 0
          ? "the workspace and the file have the same agents"
          : columns(
              found.map((one) => [one.slug, wordOf[one.change], one.change === "changed" ? one.fields.join(", ") : ""]),
            ),
      );
      return found.length === 0 ? exitCodes.done : exitCodes.failed;
    }
    case "versions":
    case "publish":
    case "remove": {
      const agent = agentNamed(await agentsOf(link, workspaceId), file, action);
      if (action === "versions") return showVersions(link, agent, json);
      return action === "remove" ? removeAgent(link, agent, json) : publishVersion(link, agent, version, json);
    }
    default:
      throw unknownName("action", action, actions, "cortex workspace agents");
  }
}

function needed(file: string | undefined, action: string): string {
  if (file === undefined)
    throw usageError("FILE is missing", `for example: cortex workspace agents ${action} agents.yaml`);
  return file;
}

const wordOf = { added: "only in the file", removed: "only in the workspace", changed: "differs" } as const;

function importedText(imported: readonly Imported[], isDryRun: boolean): string {
  if (imported.length === 0) return "nothing to do: the workspace has these agents";
  const word = { added: "added", changed: "changed", removed: "" } as const;
  const rows = imported.map((one) => [
    one.slug,
    one.done ? `${isDryRun ? "would be " : ""}${word[one.change]}` : "-",
    one.why ?? (one.change === "changed" ? one.fields.join(", ") : ""),
  ]);
  return columns(rows);
}
