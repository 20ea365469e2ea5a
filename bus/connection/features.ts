/** Features of nats-server: the version that brings each, and our substitute on older servers. Pure. */

export type Version = readonly [major: number, minor: number, patch: number];

type Feature = {
  /** The first version that has it. */
  since: Version;
  what: string;
  /** Our substitute on an older server. */
  without: string;
};

/** The features that differ between supported versions. `config-drift.ts` finds options that a server has dropped. */
export const features = {
  direct_get: {
    since: [2, 9, 0],
    what: "clients look events up one by one",
    without: "late listeners have the run's file alone",
  },
  sync_interval: {
    since: [2, 10, 0],
    what: "it writes through to the disk before it acknowledges",
    without: "the store's folder is made synchronous",
  },
  repairs: {
    since: [2, 10, 0],
    what: "it passes over a broken record and goes on behind it; what stood in it is missing from the stream, not from the files",
    without: "what it says to have stored behind one can't be read: cortex makes such a stream anew, from the files",
  },
  strict: {
    since: [2, 12, 0],
    what: "it refuses options that it doesn't know",
    without: "what it took is read back and compared",
  },
} as const satisfies Record<string, Feature>;
export type FeatureName = keyof typeof features;

/** The oldest supported version: every promise was tried with it. Debian 12 has it; `bus/legacy/` is there for it alone. */
const oldest: Version = [2, 9, 10];

/** Finds the version in a server's self-description, such as `v2.10.27` or `2.12.0-RC.1`; null where there is none. */
export function parseVersion(text: string): Version | null {
  const [, major, minor, patch] = /(\d{1,9})\.(\d{1,9})\.(\d{1,9})/.exec(text) ?? [];
  return major === undefined ? null : [Number(major), Number(minor), Number(patch)];
}

/** Whether a server has a feature. One of unknown version has none. */
export function hasFeature(feature: FeatureName, version: Version | null): boolean {
  return version !== null && isAtLeast(version, features[feature].since);
}

/** Whether cortex keeps its promises with this version. */
export const isSupported = (version: Version) => isAtLeast(version, oldest);

/** A version as people write it. */
export const versionText = (version: Version) => version.join(".");

export const oldestText = versionText(oldest);

function isAtLeast(version: Version, least: Version): boolean {
  const at = version.findIndex((part, index) => part !== least[index]);
  return at < 0 || (version[at] ?? 0) > (least[at] ?? 0);
}
