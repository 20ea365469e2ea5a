/** How a member is mentioned: `@` and their name in lower case, with `-` for what isn't a letter or digit. Pure. */

export function handleOf(name: string): string {
  const plain = name.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  return plain.replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "");
}
