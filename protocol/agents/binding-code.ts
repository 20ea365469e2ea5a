/** The code that binds a room of a channel to a thread: said in the room, by itself or as `/bind CODE`. */

export const bindingCodePattern = /^bind-[a-z2-7]{20}$/;

/** Bots of services with commands are addressed by them, with their name behind an @ where there are several. */
const said = /^(?:\/bind(?:@\w{1,64})?\s+)?(bind-[a-z2-7]{20})$/i;

/** The code that a message is, or null. */
export function bindingCodeIn(text: string): string | null {
  return said.exec(text.slice(0, 200).trim())?.[1]?.toLowerCase() ?? null;
}
