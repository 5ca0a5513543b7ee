// Writes rows to an embedded store until it takes no more: says "kept" for each that was acknowledged, then why it ended.

import { openEmbeddedDriver } from "../embedded/embedded-driver.js";
import { fillStore } from "./fill-store.js";
import { THREAD } from "./thread.js";

const [folder = ""] = process.argv.slice(2);
const driver = await openEmbeddedDriver({ folder, thread: THREAD });
const { kept, codes } = await fillStore(driver);
console.log(JSON.stringify({ kept, codes }));
await driver.close();
