/** Text of files and programs, with the signs in it that show nothing or turn its order round made visible. Pure. */

/** Controls, and signs that change the direction of what follows. */
const hidden = /[\p{Cc}\p{Bidi_Control}]/gu;

/** `␛` for an escape, `⟨202E⟩` for what would turn the order round. Tabs and ends of lines stay. */
export function visible(text: string): string {
  return text.replaceAll(hidden, (sign) => {
    if (sign === "\t" || sign === "\n") return sign;
    const code = sign.charCodeAt(0);
    if (code < 0x20) return String.fromCharCode(0x2400 + code);
    return code === 0x7f ? "␡" : `⟨${code.toString(16).toUpperCase().padStart(4, "0")}⟩`;
  });
}

/** Its beginning, and how many characters are left out. */
export function cutText(text: string, most: number): { text: string; left: number } {
  if (text.length <= most) return { text, left: 0 };
  const shown = text.slice(0, most).toWellFormed();
  return { text: shown, left: text.length - shown.length };
}
