// Names that a model, a graph, a tool's backend or a service chose, and that clients get to see. The wire lets a name hold
// points, colons and slashes, so that an address would pass as one: what others choose must be plainer [W-ERR-8].

const PUBLIC_NAME = /^[A-Za-z0-9_-]{1,64}$/;
/** Stands for a name that is not for clients. */
const NAME_INSTEAD = "unknown";

export function isPublicName(name: string): boolean {
  return PUBLIC_NAME.test(name);
}

export function publicName(name: string): string {
  return isPublicName(name) ? name : NAME_INSTEAD;
}
