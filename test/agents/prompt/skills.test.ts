import { expect, test } from "vitest";
import { skillsSection } from "../../../agents/prompt/skills.ts";

const many = Array.from({ length: 2000 }, (_, n) => ({ name: `skill-${n}`, description: "x".repeat(n % 200) }));
const linesOf = (section: string) => section.split("\n").filter((line) => line.startsWith("- "));
const sizeOf = (section: string) => linesOf(section).join("\n").length + 1;

test.each([
  [1000, 16_000],
  [200_000, 16_000],
  [250_000, 20_000],
  [1_000_000, 80_000],
])("skills in a window of %i tokens take %i characters at most, and as many skills as fit", (window, most) => {
  const section = skillsSection(many, window);
  const lines = linesOf(section);
  expect(sizeOf(section)).toBeLessThanOrEqual(most);
  expect(sizeOf(section)).toBeGreaterThan(most - 220); // the next is no longer
  expect(lines).toEqual(many.slice(0, lines.length).map(({ name, description }) => `- ${name}: ${description}`));
  expect(section).toContain(`(${many.length - lines.length} more don't fit here)`);
});

test("skills that all fit are listed whole, each on a line; without skills there is no section", () => {
  const section = skillsSection([{ name: "mail", description: "Writes\n mail." }], 0);
  expect(linesOf(section)).toEqual(["- mail: Writes mail."]);
  expect(section).not.toContain("fit");
  expect(skillsSection([], 200_000)).toBe("");
});
