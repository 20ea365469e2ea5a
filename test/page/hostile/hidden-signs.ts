/** Signs that a page shows as something else: controls, and what turns the order of text round. */
export const hiddenSigns = /(?![\t\n\r])[\p{Cc}\p{Bidi_Control}]/u;
