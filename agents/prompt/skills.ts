/** The skills that an agent may use, within their share of the window. Pure. */

export type SkillLine = { name: string; description: string };

/** The skills' share of the window, and the number of characters that they get at least. */
const share = 0.02;
const leastCharacters = 16_000;
const charactersPerToken = 4;

export function skillsSection(skills: readonly SkillLine[], windowTokens: number): string {
  if (skills.length === 0) return "";
  const most = Math.max(leastCharacters, Math.floor(windowTokens * share * charactersPerToken));
  const lines: string[] = [];
  let length = 0;
  for (const { name, description } of skills) {
    const line = `- ${name}: ${description.replaceAll(/\s+/g, " ")}`;
    length += line.length + 1;
    if (length > most) break;
    lines.push(line);
  }
  const left = skills.length - lines.length;
  return [
    "## Skills",
    "",
    "use_skill(skill, args?) gives you the instructions of one of these:",
    ...lines,
    ...(left > 0 ? [`(${left} more don't fit here)`] : []),
  ].join("\n");
}
