/** The text of whatever was thrown: an error's message, or anything else as a string. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
