// Takes the lock of the folder that it is given, says so, and keeps it for a while.

import { setTimeout as sleep } from "node:timers/promises";
import { lockFolder } from "../embedded/folder-lock.js";

const [folder = "", keepMs = "0"] = process.argv.slice(2);
try {
  const unlock = lockFolder(folder);
  console.log("taken");
  await sleep(Number(keepMs));
  unlock();
} catch (error) {
  console.log((error as { code?: string }).code);
}
