// The thread of the bare embedded database: for every list of statements it is sent it runs one transaction and answers
// with the list's number. Nothing but PGlite's own calls. Plain JavaScript, because a thread has no compiler loaded.

import { parentPort, workerData } from "node:worker_threads";
import { PGlite } from "@electric-sql/pglite";

const database = await PGlite.create({ dataDir: workerData });
parentPort.postMessage({ id: 0 });

parentPort.on("message", ({ id, statements }) => {
  const done = database.transaction(async (transaction) => {
    for (const { text, values = [] } of statements) await transaction.query(text, [...values]);
  });
  done.then(
    () => parentPort.postMessage({ id }),
    (error) => parentPort.postMessage({ id, error: error.message }),
  );
});
