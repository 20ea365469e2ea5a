/** An agent's model that stands still where a test holds it, and what its agent has said and answered. */
import type { PlayedTurn } from "../../support/providers/played.ts";
import type { AgentsSystem } from "../agents-system.ts";

/** A model that waits at its n-th answer until the test lets it go. */
export function holdModel(
  system: AgentsSystem,
  word: string,
  answer: (number: number, last: string, said: string) => PlayedTurn,
) {
  const gates = Array.from({ length: 10 }, () => Promise.withResolvers<void>());
  let asked = 0;
  system.think(word, async ({ last, said }) => {
    const number = ++asked;
    await gates[number - 1]?.promise;
    return answer(number, last, said.join("\n"));
  });
  return {
    isAsked: (number: number) => system.until(() => asked >= number, `${word}: the ${number}. question`),
    letGo: (number: number) => gates[number - 1]?.resolve(),
    letAllGo: () => gates.forEach(({ resolve }) => resolve()),
    get count() {
      return asked;
    },
  };
}

/** The last line of each text in an agent's history, behind its type. */
export const textsOf = (system: AgentsSystem, agent: string) =>
  system
    .history(agent)
    .flatMap((record) => ("text" in record ? [`${record.type}: ${String(record.text).split("\n").at(-1)}`] : []));

/** The items that each of an agent's turns has answered. */
export const itemsOf = (system: AgentsSystem, agent: string) =>
  system.news.filter(({ event, agent_id }) => event === "turn_ended" && agent_id === agent).map((one) => one["items"]);
