/** Colours that a program has written into its text, by escape sequences, as pieces of text. Other sequences are left out. Pure. */

const ansiColours = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"] as const;
export type AnsiColour = (typeof ansiColours)[number];

export type AnsiPiece = { text: string; colour: AnsiColour | null; isBold: boolean; isDim: boolean };

const [escape, bell] = [0x1b, 0x07].map((code) => String.fromCharCode(code)) as [string, string];

/** Sequences of colour are heard; those that move the cursor, set a title or clear the screen mean nothing here. */
const sequence = new RegExp(
  [
    `${escape}\\[([0-9;:]{0,64})m`,
    `${escape}\\[[0-?]{0,64}[ -/]{0,8}[@-~]`,
    `${escape}\\][^${bell}${escape}]{0,512}(?:${bell}|${escape}\\\\)`,
  ].join("|"),
  "g",
);

export function ansiPieces(text: string): AnsiPiece[] {
  const pieces: AnsiPiece[] = [];
  let look: Omit<AnsiPiece, "text"> = plain;
  let at = 0;
  const push = (end: number) => {
    if (end > at) pieces.push({ text: text.slice(at, end), ...look });
  };
  for (const found of text.matchAll(sequence)) {
    push(found.index);
    at = found.index + found[0].length;
    if (found[1] !== undefined) look = lookAfter(look, found[1].split(/[;:]/).map(Number));
  }
  push(text.length);
  return pieces;
}

const plain = { colour: null, isBold: false, isDim: false };

function lookAfter(before: Omit<AnsiPiece, "text">, codes: readonly number[]): Omit<AnsiPiece, "text"> {
  let look = before;
  for (let at = 0; at < codes.length; at++) {
    const code = codes[at] ?? 0;
    // A colour out of 256, or of any: not among those that are shown.
    if (code === 38 || code === 48) at += codes[at + 1] === 2 ? 4 : 2;
    else if (code === 0) look = plain;
    else if (code === 1) look = { ...look, isBold: true };
    else if (code === 2) look = { ...look, isDim: true };
    else if (code === 22) look = { ...look, isBold: false, isDim: false };
    else if (code === 39) look = { ...look, colour: null };
    else if (isColour(code)) look = { ...look, colour: ansiColours[code % 10] ?? null };
  }
  return look;
}

const isColour = (code: number) => (code >= 30 && code <= 37) || (code >= 90 && code <= 97);
