// A commit whose answer was lost, settled by a look at what it would have written [D-4].
// Owns: that rule alone. Does not own: what is looked for (whoever commits).
//   R1. The look waits for the lost commit, by a lock that it held: what is not there then will not come later.
//   R2. Where nothing was found, or nobody could look, the commit stays unknown, and its caller is told so.

import { isFramerailError } from "@framerail/protocol";

/** `find` gives what the commit gave, or undefined where the database has nothing of it. */
export async function readBack<T>(commit: () => Promise<T>, find: () => Promise<T | undefined>): Promise<T> {
  try {
    return await commit();
  } catch (error) {
    if (!isFramerailError(error) || error.code !== "COMMIT_UNKNOWN") throw error;
    // R2: that the look failed says less than what it was for.
    const found = await find().catch(() => undefined);
    if (found === undefined) throw error;
    return found;
  }
}
