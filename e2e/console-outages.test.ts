import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { BreakableNetwork } from "./console/breakable-network.js";
import { FIND_NETWORK, openNetwork } from "./console/breakable-network.js";
import { openChromium, openConsole, takeScreenshot } from "./console/console-page.js";
import type { ConsoleProgram } from "./console/console-program.js";
import { startConsoleProgram } from "./console/console-program.js";
import { readHistory } from "./console/read-history.js";

const PATIENCE = { timeout: 60_000 };
const words = (count: number) => Array.from({ length: count }, (_, index) => `${index + 1}`).join(" ");

let program: ConsoleProgram;
let browser: Browser;
let network: BreakableNetwork;
beforeAll(async () => {
  [program, browser] = await Promise.all([startConsoleProgram(), openChromium(FIND_NETWORK)]);
  network = await openNetwork(Number(new URL(program.url).port));
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await network?.close();
  await program?.close();
});

test("a connection that is cut again and again is told as it is, and costs no word [G3]", async () => {
  const shown = await openConsole(browser, network.url);
  await shown.choose("story");
  await shown.send("count 250 every 20");
  for (const word of ["5", "60"]) {
    await expect.poll(() => shown.answer(), PATIENCE).toContain(` ${word} `);
    network.cut();
  }
  expect(await shown.ended()).toBe("Completed");
  expect((await shown.answer()).trim()).toBe(words(250));
  await shown.page.locator(".connection", { hasText: "Resumed 2 times, nothing lost" }).waitFor();
  expect((await readHistory(shown.page, program.url)).turns).toBe(1);
  expect(await shown.failures()).toEqual([]);
  await shown.close();
});

test("a page that loses its network says so, and goes on to the last word when it is back [G3, G5]", async () => {
  const shown = await openConsole(browser, network.url);
  await shown.choose("story");
  await shown.send("count 250 every 20");
  await expect.poll(() => shown.answer(), PATIENCE).toMatch(/^1 2 3 /);
  await shown.context.setOffline(true);
  // The browser refuses new connections, and keeps the ones it has: those are cut for it.
  network.cut();
  await shown.page.locator(".connection", { hasText: /Offline: .* Going on after frame \d+/ }).waitFor();
  await shown.context.setOffline(false);
  expect(await shown.ended()).toBe("Completed");
  expect((await shown.answer()).trim()).toBe(words(250));
  await shown.page.locator(".connection", { hasText: /Resumed .* nothing lost/ }).waitFor();
  expect((await readHistory(shown.page, program.url)).turns).toBe(1);
  expect(await shown.failures()).toEqual([]);
  await shown.close();
});

test("a server that is killed in mid-answer is reported as gone, and back again as how the turn ended, with the text so far [G1]", async () => {
  const shown = await openConsole(browser, program.url);
  const { page } = shown;
  await shown.choose("story");
  await shown.send("count 3000 every 20");
  await expect.poll(() => shown.answer(), PATIENCE).toMatch(/^1 2 3 4 5 /);
  await program.kill();
  await page
    .locator(".connection", { hasText: /The server went away\. Going on after frame \d+\. Attempt \d+/ })
    .waitFor();
  const before = (await shown.answer()).trim();
  await program.startAgain();
  expect(await shown.ended()).toBe("Failed: INTERNAL_ERROR");
  await page.getByText("the process that ran the turn died").waitFor();
  const after = (await shown.answer()).trim();
  expect(after.startsWith(before)).toBe(true);
  expect(words(3_000).startsWith(after)).toBe(true);
  await expect.poll(async () => (await readHistory(page, program.url)).lastAnswer.trim(), PATIENCE).toBe(after);
  await takeScreenshot(page, "console-failed");
  // The conversation goes on, in the page that was open all the time.
  await shown.send("count 3 every 0");
  await expect.poll(() => shown.entries.count(), PATIENCE).toBe(2);
  expect(await shown.ended()).toBe("Completed");
  expect(await shown.failures()).toEqual([]);
  await shown.close();
});
