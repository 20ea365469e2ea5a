/** Folds a text for comparison: two that a reader takes for the same are the same. Pure. */
export const folded = (text: string): string => text.normalize("NFC").toLowerCase().replace(/\s+/gu, " ").trim();
