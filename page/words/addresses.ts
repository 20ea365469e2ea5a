/** Addresses within views to which more than one place of the page leads. Pure. */

const under = (place: string) => (name: string) => `${place}/${name.split("/").map(encodeURIComponent).join("/")}`;

export const runAddress = under("/runs");
export const personaAddress = under("/agents");
export const agentAddress = under("/agents/live");
export const skillAddress = under("/agents/skills");
export const memoryAddress = under("/agents/memory");
export const toolAddress = under("/agents/tools");
export const chatAddress = under("/chat");
export const threadAddress = under("/threads");
export const changeAddress = under("/changes");
/** Of a day such as 20250120. */
export const dayAddress = under("/journal");
export const facetAddress = under("/journal/facets");
export const fileAddress = under("/journal/files");
export const logAddress = (program: string) => `/logs?program=${encodeURIComponent(program)}`;
/** Of two runs beside each other. */
export const sideBySideAddress = (one: string, other: string) => `/runs/compare/${one}/${other}`;
