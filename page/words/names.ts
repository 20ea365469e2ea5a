/** Names of personas, agents and runs as people read them. */

/** `facet-newsletter` becomes `Facet newsletter`; a name that somebody wrote with capitals or spaces stays as it is. */
export function personName(name: string): string {
  if (/[A-Z ]/.test(name)) return name;
  const words = name.replaceAll(/[-_]+/g, " ").trim();
  return words === "" ? name : words.charAt(0).toUpperCase() + words.slice(1);
}

/** The end of a run's id, which is enough for every command: `…4744213`. */
export function shortId(id: string): string {
  return id.length > 7 ? `…${id.slice(-7)}` : id;
}

/** The first line of a text, without the spaces around it. */
export function firstLine(text: string): string {
  return text.trimStart().split("\n", 1)[0]?.trimEnd() ?? "";
}
