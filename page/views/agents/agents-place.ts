/**
 * The section of this view that an address means: `/agents/<persona>`, `/agents/team/<id>`, `/agents/skills/<name>`, `/agents?of=tools`.
 * Pure.
 */

export type Section = "personas" | "team" | "skills" | "memory" | "tools";

/** `live`: a long-lived agent, listed among the personas. */
export type AgentsPlace = { section: Section | "live"; item: string | null };

export const sections: readonly { id: Section; title: string }[] = [
  { id: "personas", title: "Personas" },
  { id: "team", title: "Team" },
  { id: "skills", title: "Skills" },
  { id: "memory", title: "Memory" },
  { id: "tools", title: "Tools" },
];

/** Names of personas have no slash: what stands below a section is never one of them. */
export function placeOf(rest: string, of: string | undefined): AgentsPlace {
  const at = rest.indexOf("/");
  const section = rest.slice(0, Math.max(0, at));
  const item = rest.slice(at + 1);
  if (section === "live" && item !== "") return { section, item };
  const known = sections.find(({ id }) => id === section);
  if (known && item !== "") return { section: known.id, item };
  if (rest !== "") return { section: "personas", item: rest };
  return { section: sections.find(({ id }) => id === of)?.id ?? "personas", item: null };
}

export function addressOf(section: Section | "live", item: string | null): string {
  if (item === null) return section === "personas" || section === "live" ? "/agents" : `/agents?of=${section}`;
  const path = item.split("/").map(encodeURIComponent).join("/");
  return section === "personas" ? `/agents/${path}` : `/agents/${section}/${path}`;
}
