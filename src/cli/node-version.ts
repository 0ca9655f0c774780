/** The oldest Node that runs the gateway: `engines` of package.json, written here as it is asked before all else. */
export const NEEDED_NODE = '24.9';

/** What to tell whoever runs an older Node; null when it is new enough. `version` as in `process.versions.node`. */
export function nodeFault(version: string): string | null {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [neededMajor = 0, neededMinor = 0] = NEEDED_NODE.split('.').map(Number);
  if (major > neededMajor || (major === neededMajor && minor >= neededMinor)) return null;
  return `nexus: needs Node ${NEEDED_NODE} or newer, and this is Node ${version}: install one from https://nodejs.org`;
}
