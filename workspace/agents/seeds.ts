/** The agents that a new workspace has: those of `workspace/seeds/agents.yaml`. */
import { readFileSync } from "node:fs";
import { packageFile } from "../../proc/programs/package-file.ts";
import { type AgentFile, readAgentsYaml } from "./agents-yaml.ts";

export function seededAgents(): AgentFile[] {
  return readAgentsYaml(readFileSync(packageFile("workspace/seeds/agents.yaml"), "utf8"));
}
