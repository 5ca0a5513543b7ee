// What an id must look like before the database is asked: it refuses anything else with an error of its own, where the
// honest answer is that there is no such thing.

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

export function isUuid(text: unknown): text is string {
  return typeof text === "string" && UUID.test(text);
}
