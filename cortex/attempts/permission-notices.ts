/** Takes what is told of questions about a run's calls: each once into the file, with the clocks standing still in between. */
import { cutStrings } from "../../protocol/json/cut-strings.ts";
import type { HoldUp, NoticeAnswer, PermissionNotice } from "../../protocol/runs/request/permission-notice.ts";
import type { AttemptLimits } from "./attempt-limits.ts";
import type { RunScope } from "../run-scope/run-scope.ts";

/** Characters of each string of the arguments that are told back. */
const longestShown = 16_384;

export class PermissionNotices {
  readonly #scope: RunScope;
  readonly #limits: AttemptLimits;

  constructor(scope: RunScope, limits: AttemptLimits) {
    this.#scope = scope;
    this.#limits = limits;
  }

  /** To be called in turn, when what the agent has said is read. Null: the run isn't at work yet. */
  async takeNotice(notice: PermissionNotice): Promise<NoticeAnswer | null> {
    const { machine, budget } = this.#scope;
    if (machine.run.state === "starting") return null;
    if (machine.run.state !== "running") return { ok: false, error: "the run is over" };
    const { waits } = budget;
    if (notice.event === "held_up") return this.#holdUp(notice.by);
    const isNews = notice.event === "permission" ? !waits.isKnown(notice.id) : this.#isOpen(notice.id);
    if (isNews && notice.event === "permission" && notice.known_only) return { ok: false, error: "nobody was asked" };
    if (isNews && notice.event === "permission" && notice.loop === true && !this.#isWatched) {
      await machine.apply({ type: "stop", reason: "loop", error: notice.why });
      return { ok: false, error: notice.why };
    }
    if (isNews) await this.#scope.writeOwn(notice);
    this.#limits.followWaits();
    return { ok: true, args: cutStrings(waits.argsOf(notice.id), longestShown) ?? null };
  }

  /** The clocks stand still as long as the run waits for a task that waits for a person. */
  async #holdUp(by: readonly HoldUp[]): Promise<NoticeAnswer> {
    const { waits } = this.#scope.budget;
    for (const { id, run_id } of by)
      if (!waits.isOfTask(id)) await this.#scope.writeOwn({ event: "clocks_stopped", id, run_id });
    for (const id of waits.ofTasks)
      if (!by.some((one) => one.id === id)) await this.#scope.writeOwn({ event: "clocks_resumed", id });
    this.#limits.followWaits();
    return { ok: true, args: null };
  }

  #isOpen(id: string): boolean {
    const { waits } = this.#scope.budget;
    return waits.isKnown(id) && !waits.isDecided(id);
  }

  /** Whether there is somebody who could be asked: who sits before it, the user of the agent whose turn it is, or a workspace. */
  get #isWatched(): boolean {
    const { request } = this.#scope.record;
    return request.watched === true || request.agent !== undefined || request.trust !== undefined;
  }
}
