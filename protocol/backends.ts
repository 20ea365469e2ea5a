/** The backends that come with cortex: what each is called, the key it needs and the environment its runs receive. */

export type BuiltInBackend = {
  /** The variable whose presence makes it a candidate for the default backend. Absent: it needs no key. */
  key?: string;
  /** The variables that its runs' processes receive, and no other backend's. */
  environment: readonly string[];
};

/** In the order in which a default is looked for: the first whose key is present. The last one needs none. */
export const builtInBackends = {
  offline: { environment: [] },
} as const satisfies Record<string, BuiltInBackend>;

export type BuiltInBackendName = keyof typeof builtInBackends;

/** Whether a name is that of a built-in backend. */
export function isBuiltInBackend(name: string): name is BuiltInBackendName {
  return Object.hasOwn(builtInBackends, name);
}
