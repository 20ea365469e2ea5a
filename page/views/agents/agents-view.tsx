/** Agents and personas: who they are and what they are told, the agents of teams, their skills, their memory, and the tools that they may have. */
import { type AgentsPlace, placeOf } from "./agents-place.ts";
import { MemorySection } from "./memory-section.tsx";
import { PersonasSection } from "./personas-section.tsx";
import { SkillsSection } from "./skills-section.tsx";
import { TeamSection } from "./team-section.tsx";
import { ToolsSection } from "./tools-section.tsx";
import "./agents.css";

type AgentsProps = { params?: { rest?: string }; query?: Record<string, string> };

export default function AgentsView({ params, query }: AgentsProps) {
  return <Section {...placeOf(params?.rest ?? "", query?.["of"])} />;
}

function Section({ section, item }: AgentsPlace) {
  switch (section) {
    case "tools":
      return <ToolsSection name={item} />;
    case "team":
      return <TeamSection id={item} />;
    case "skills":
      return <SkillsSection name={item} />;
    case "memory":
      return <MemorySection path={item} />;
    default:
      return <PersonasSection name={section === "live" ? null : item} agent={section === "live" ? item : null} />;
  }
}
