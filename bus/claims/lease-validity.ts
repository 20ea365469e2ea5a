/** When a worker's own lease surely holds. Pure. */

/** A moment, by two clocks: one goes on while the machine sleeps and may be set, the other stands still and can't be. */
export type Moment = { wall: number; steady: number };

/** For its owner a lease lapses earlier than for the others: what it has sent by then arrives before anybody takes over. */
const ownShare = 0.8;

/**
 * @param renewed when the renewal was asked for: it counts from before the server heard of it, so here it lapses first
 */
export function isLeaseFresh(renewed: Moment | null, now: Moment, leaseMs: number): boolean {
  if (!renewed) return false;
  const ages = [now.wall - renewed.wall, now.steady - renewed.steady];
  return ages.every((age) => age >= 0 && age < leaseMs * ownShare);
}
