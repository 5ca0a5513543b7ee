/** The embedded database's thread as it is built: a thread is a file of its own, which the test runner does not compile. */
export const THREAD = new URL("../../../dist/store/embedded/pglite-thread.js", import.meta.url);
