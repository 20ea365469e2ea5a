/** Takes what is told of questions about a run's calls: each once into the file, with the clocks standing still in between. */
import { cutStrings } from "../../protocol/json/cut-strings.ts";
import type { NoticeAnswer, PermissionNotice } from "../../protocol/runs/permission-notice.ts";
import type { AttemptLimits } from "./attempt-limits.ts";
import type { RunScope } from "./run-scope.ts";

/** Of each string of the arguments, what is told back. */
const longestShown = 16_384;

export class PermissionNotices {
  readonly #scope: RunScope;
  readonly #limits: AttemptLimits;

  constructor(scope: RunScope, limits: AttemptLimits) {
    this.#scope = scope;
    this.#limits = limits;
  }

  /** To be called in turn, when what the agent has said is read. Null: the run isn't at work yet. */
  async take(notice: PermissionNotice): Promise<NoticeAnswer | null> {
    const { machine, budget } = this.#scope;
    if (machine.run.state === "starting") return null;
    if (machine.run.state !== "running") return { ok: false, error: "the run is over" };
    const { waits } = budget;
    const isNews = notice.event === "permission" ? !waits.isKnown(notice.id) : this.#isOpen(notice.id);
    if (isNews && notice.event === "permission" && notice.loop === true && !this.#isWatched) {
      await machine.apply({ type: "stop", reason: "loop", error: notice.why });
      return { ok: false, error: notice.why };
    }
    if (isNews) await this.#scope.writeOwn(notice);
    this.#limits.followWaits();
    return { ok: true, args: cutStrings(waits.argsOf(notice.id), longestShown) ?? null };
  }

  #isOpen(id: string): boolean {
    const { waits } = this.#scope.budget;
    return waits.isKnown(id) && !waits.isDecided(id);
  }

  /** Whether there is somebody who could be asked: whoever sits before it, or the user of the agent whose turn it is. */
  get #isWatched(): boolean {
    const { request } = this.#scope.record;
    return request.watched === true || request.agent !== undefined;
  }
}
