/** Whether a text is base64, to its padding: what Node decodes leaves out what isn't. */
export const isBase64 = (text: string): boolean => text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text);
