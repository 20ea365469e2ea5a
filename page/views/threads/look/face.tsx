/** Who somebody is, at a glance: people are round, agents are square. */
import { initials } from "../../../words/mentions.ts";

export function Face({ name, isAgent, isSmall = false }: { name: string; isAgent: boolean; isSmall?: boolean }) {
  const classes = ["face", isAgent && "agent", isSmall && "s"].filter(Boolean).join(" ");
  return (
    <span class={classes} aria-hidden="true">
      {initials(name, isAgent)}
    </span>
  );
}
