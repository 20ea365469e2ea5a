/**
 * How many tokens a text is, roughly, by its scripts: no tokenizer is loaded for it. The weights were fitted to that of OpenAI's
 * models; those of others differ by a fifth, and `token-ratio.ts` corrects for that. Pure.
 */

/** Tokens a character of scripts that aren't counted word by word. Ranges of UTF-16, sorted; what isn't in them is rare, and dear. */
const scripts: readonly (readonly [last: number, tokens: number])[] = [
  [0x24f, 0], // Latin: by the word
  [0x36f, 0.4],
  [0x52f, 0.36], // Greek and Cyrillic
  [0x58f, 0.6],
  [0x5ff, 0.55], // Hebrew
  [0x6ff, 0.37], // Arabic
  [0x8ff, 0.5],
  [0xdff, 0.55], // Scripts of India
  [0xe7f, 0.4], // Thai
  [0x10ff, 0.7],
  [0x11ff, 0.9],
  [0x1dff, 0.9],
  [0x1eff, 0.6], // Latin of Vietnam
  [0x1fff, 0.8],
  [0x206f, 0.7],
  [0x2fff, 1],
  [0x303f, 0.85], // Punctuation of East Asia
  [0x30ff, 0.7], // Hiragana and Katakana
  [0x33ff, 1.2],
  [0x9fff, 0.84], // Han
  [0xabff, 1.2],
  [0xd7af, 0.78], // Hangul
  [0xdfff, 1.1], // Halves of pairs: emoji, rare Han
  [0xfeff, 1],
  [0xffff, 0.85], // Full-width forms
];

/** A word of so many letters is one token; of longer ones, so many more letters are a further one. */
const [wordLetters, furtherLetters] = [7, 4.4];
/** Tokens that a letter beyond ASCII adds to its word. */
const accentTokens = 0.7;
const digitsPerToken = 3;
/** The first sign of a run is a token more often than those that follow it. */
const [signTokens, furtherSignTokens] = [0.85, 0.35];

/** Kinds of characters; `other`: of a script that is counted by the character. */
const [other, letter, digit, sign, space, lineBreak] = [0, 1, 2, 3, 4, 5];
const lastLatin = 0x24f;

const kinds = Uint8Array.from({ length: lastLatin + 1 }, (_, code) => {
  if ((code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a) || code >= 0xc0) return letter;
  if (code === 0x20 || code === 0x09) return space;
  if (code === 0x0a || code === 0x0d) return lineBreak;
  return code >= 0x30 && code <= 0x39 ? digit : sign;
});

/** Estimates the tokens of a text; within 15 % for texts of some hundred words. */
export function textTokens(text: string): number {
  let tokens = 0;
  let kind: number = other;
  /** Where the run of characters of one kind began. */
  let begin = 0;
  let wasLower = false;
  const { length } = text;
  // A text may be megabytes long: nothing is allocated on the way.
  for (let at = 0; at < length; at++) {
    const code = text.charCodeAt(at);
    const next: number = code <= lastLatin ? (kinds[code] as number) : other;
    const isUpper = code <= 0x5a && code >= 0x41;
    const goesOn = next === kind ? !(isUpper && wasLower) : kind === lineBreak && next === space;
    if (!goesOn) {
      tokens += runTokens(kind, at - begin);
      begin = at;
      kind = next;
    }
    wasLower = next === letter && !isUpper;
    if (next === other) tokens += scriptTokens(code);
    else if (next === letter && code >= 0x80) tokens += accentTokens;
  }
  return Math.ceil(tokens + runTokens(kind, length - begin));
}

function runTokens(kind: number, length: number): number {
  if (kind === letter) return length <= wordLetters ? 1 : 1 + (length - wordLetters) / furtherLetters;
  if (kind === sign) return signTokens + (length - 1) * furtherSignTokens;
  if (kind === space) return length > 1 ? 1 : 0;
  if (kind === lineBreak) return length > 2 ? 1 : 0.5;
  return kind === digit ? Math.ceil(length / digitsPerToken) : 0;
}

function scriptTokens(code: number): number {
  for (const [last, tokens] of scripts) if (code <= last) return tokens;
  return 1;
}
