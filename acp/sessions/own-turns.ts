/** The turns of long-lived agents that sessions of this process have begun: what belongs to one is told in its session alone. */
export class OwnTurns {
  /** The session of each turn, by its run. */
  readonly #sessions = new Map<string, string>();
  /** The turns that are under way, by their agent. */
  readonly #underWay = new Map<string, string>();

  /** Notes a turn that has begun, until it is disposed of. */
  begin(agent: string, run: string, session: string): Disposable {
    this.#sessions.set(run, session);
    this.#underWay.set(agent, run);
    return {
      [Symbol.dispose]: () => void (this.#underWay.get(agent) === run && this.#underWay.delete(agent)),
    };
  }

  /** Whether a turn was begun by another session of this process. */
  isOfAnother(run: string | undefined, session: string): boolean {
    const owner = run === undefined ? undefined : this.#sessions.get(run);
    return owner !== undefined && owner !== session;
  }

  /** Whether an agent is in a turn of a session of this process, which tells what that asks. */
  isUnderWay(agent: string): boolean {
    return this.#underWay.has(agent);
  }
}
