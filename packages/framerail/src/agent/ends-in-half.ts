// Text that comes in pieces may be cut in the middle of a character. No event may hold half of one, so that whoever writes
// such a piece keeps the half back until the other one comes.

/** Whether a text ends with the first half of a surrogate pair. */
export function endsInHalf(text: string): boolean {
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xd800 && last < 0xdc00;
}
