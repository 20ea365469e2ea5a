/** As which owner a signed request speaks: whoever has the secret vouches for the user. */
import { HttpError } from "../adapter/http-server.ts";
import { ownersNow } from "../adapter/senders/owners-now.ts";

const prefix = "webhook:";

/**
 * The owner whom the request names, else the first one of this channel.
 * @throws HttpError 403 where there is none, or another one is named
 */
export function ownerHere(journal: string, named?: string): string {
  const owners = [...ownersNow(journal)].flatMap((one) => (one.startsWith(prefix) ? [one.slice(prefix.length)] : []));
  const [first] = owners;
  if (first === undefined)
    throw new HttpError(
      403,
      `nobody on this channel is an owner: set channels.webhook.owner, or name one in agents.owners, as "${prefix}ada"`,
    );
  const userId = named ?? first;
  if (!owners.includes(userId)) throw new HttpError(403, `userId: ${prefix}${userId} isn't an owner`);
  return userId;
}
