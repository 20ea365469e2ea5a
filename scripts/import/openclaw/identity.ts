/** The identity of an OpenClaw agent: the fields of its IDENTITY.md. Pure. */

export type OpenclawIdentity = {
  name?: string;
  creature?: string;
  vibe?: string;
  emoji?: string;
  avatar?: string;
  /** The text of its file beside the fields. */
  rest: string;
};

const field = /^\s*(?:[-*]\s+)?\*{0,2}(name|creature|vibe|emoji|avatar)\s*:\*{0,2}\s*:?(.*)$/i;

/** The lines of OpenClaw's own template around the fields. */
const template = [
  /^#\s*IDENTITY\.md\b/i,
  /^_?Fill this in during/i,
  /^This isn't just metadata/i,
  /^Notes:$/i,
  /^- Save this file at/i,
  /^- For avatars, use/i,
  /^-{3,}$/,
];

const maxField = 500;

/** Reads the fields, each in the line of its name or in the line below it. What nobody has filled in is absent. */
export function readIdentity(text: string): OpenclawIdentity {
  const identity: OpenclawIdentity = { rest: "" };
  const rest: string[] = [];
  const lines = text.split("\n");
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? "";
    const [, name, same = ""] = field.exec(line) ?? [];
    if (name === undefined) {
      if (!template.some((pattern) => pattern.test(line.trim()))) rest.push(line);
      continue;
    }
    const next = lines[at + 1] ?? "";
    const isBelow = same.trim() === "" && /^\s+\S/.test(next) && !field.test(next);
    if (isBelow) at += 1;
    const value = plain(isBelow ? next : same);
    if (value !== "") identity[name.toLowerCase() as keyof OpenclawIdentity] = value;
  }
  return { ...identity, rest: rest.join("\n").trim() };
}

/** A value without its emphasis. A hint in brackets is the template's, not a value. */
function plain(value: string): string {
  const bare = value
    .trim()
    .slice(0, 2 * maxField)
    .replace(/^[_*`]+|[_*`]+$/g, "")
    .trim();
  return /^\(.*\)$/.test(bare) ? "" : bare.slice(0, maxField).toWellFormed();
}

/** A name as a persona or a slug can have it; "openclaw" where nothing of it remains. */
export function nameFrom(text: string | undefined): string {
  const slug = (text ?? "")
    .normalize("NFKD")
    .replaceAll(/\p{M}+/gu, "")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-+|-+$/g, "")
    .slice(0, 48)
    .replace(/-+$/, "");
  return slug === "" ? "openclaw" : slug;
}
