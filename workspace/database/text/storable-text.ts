/** Text of a model or a provider as every database takes it: PostgreSQL has no NUL. Pure. */
export const storableText = (text: string): string => text.replaceAll("\0", "\ufffd").toWellFormed();
