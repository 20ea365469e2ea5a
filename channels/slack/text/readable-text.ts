/** A text as Slack sends it becomes what its writer saw: mentions, links and entities in words. Pure. */

/** Slack's `<…>`: a mention, a room, a command or a link, and the words for it. */
const marks = /<([@#!]?)([^<>|]{1,3000})(?:\|([^<>|]{0,3000}))?>/g;

/** Lists the people whom a text mentions, each once. */
export function mentionedIn(text: string): string[] {
  const ids = [...text.matchAll(marks)].flatMap(([, kind, id = ""]) => (kind === "@" ? [id] : []));
  return [...new Set(ids)];
}

/**
 * @param botId whose mention is left out: it says only whom the text is for
 * @param names of the people whom it mentions, by id
 */
export function readableText(text: string, botId: string, names: ReadonlyMap<string, string>): string {
  const read = text.replaceAll(marks, (_, kind: string, target: string, words: string | undefined) => {
    const label = words === "" ? undefined : words;
    if (kind === "@") return target === botId ? "" : `@${label ?? names.get(target) ?? target}`;
    if (kind === "#") return `#${label ?? target}`;
    // <!here>, <!subteam^S1|@crew>, <!date^1392734382^{date}|18 February>
    if (kind === "!") return label ?? `@${target.split("^", 1)[0] ?? target}`;
    const isItself =
      label === undefined || target === label || target === `mailto:${label}` || target === `tel:${label}`;
    return isItself ? (label ?? target) : `${label} (${target})`;
  });
  return read.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&").trim();
}
