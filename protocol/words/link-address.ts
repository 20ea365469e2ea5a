/** The address of a Markdown link, in which a parenthesis would end it. Pure. */
export const linkAddress = (url: string): string => url.replaceAll("(", "%28").replaceAll(")", "%29");
