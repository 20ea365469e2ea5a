/** Tool calls as they come in pieces, each with the number of its call; or without it, or without ids, or all at once. Pure. */
import { readArguments } from "../../../conversation/arguments.ts";
import type { CallDelta } from "./events.ts";

type Call = { index: number | undefined; id: string; name: string; args: string | Record<string, unknown> };

export class ChatCalls {
  readonly #calls: Call[] = [];

  add(delta: CallDelta): void {
    const { id, index } = delta;
    const { name, arguments: args } = delta.function ?? {};
    const call = this.#growing(index ?? undefined, id ?? "", name ?? "") ?? this.#begin(index ?? undefined);
    call.id ||= id ?? "";
    call.name ||= name ?? "";
    if (typeof args === "string" && typeof call.args === "string") call.args += args;
    else if (typeof args === "object" && args) call.args = args;
  }

  /** All of them. `isCutOff`: the answer was, so the last one may be half a call. */
  whole(isCutOff: boolean): { call_id: string; name: string; args: string | Record<string, unknown> }[] {
    const last = this.#calls.at(-1);
    return this.#calls
      .filter((call) => !isCutOff || call !== last || isWhole(call))
      .map(({ id, name, args }) => ({ call_id: id, name, args }));
  }

  /** The call that a piece goes on with. */
  #growing(index: number | undefined, id: string, name: string): Call | undefined {
    const call = index === undefined ? this.#calls.at(-1) : this.#calls.findLast((other) => other.index === index);
    if (!call) return undefined;
    // Some count every call as 0: another id is another call, and so is another name behind whole arguments.
    if (id !== "" && call.id !== "" && id !== call.id) return undefined;
    if (id === "" && name !== "" && isWhole(call)) return undefined;
    return call;
  }

  #begin(index: number | undefined): Call {
    const call = { index, id: "", name: "", args: "" };
    this.#calls.push(call);
    return call;
  }
}

function isWhole({ args }: Call): boolean {
  return args !== "" && readArguments(args) !== undefined;
}
