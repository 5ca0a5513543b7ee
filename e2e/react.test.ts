import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ChatSite } from "./react/chat-site.js";
import { openChromium, startChatSite, WORDS } from "./react/chat-site.js";

let site: ChatSite;
let browser: Browser;
beforeAll(async () => {
  [site, browser] = await Promise.all([startChatSite(), openChromium()]);
}, 60_000);
afterAll(async () => {
  await browser?.close();
  await site?.close();
});

test("in a browser, in StrictMode, a turn of thousands of frames is asked for once and rendered at most once per animation frame", async () => {
  const page = await browser.newPage();
  const failures: string[] = [];
  page.on("pageerror", (error) => failures.push(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error") failures.push(message.text());
  });
  await page.goto(site.url);
  await page.click("#send");
  await page.waitForFunction("noted.commits.length > 5");
  // Taken from the page and put back, in the middle of the turn.
  await page.click("#toggle");
  await page.click("#toggle");
  await page.waitForFunction("document.getElementById('connection').textContent === 'ended'");
  await page.waitForFunction(`document.getElementById('answer').textContent.endsWith(${JSON.stringify(WORDS.at(-1))})`);
  expect(await page.textContent("#answer")).toBe(WORDS.join(""));
  const noted = (await page.evaluate("noted")) as { commits: number[]; frame: number; mounts: number };
  // StrictMode runs each mount's effects twice, and there were two mounts.
  expect(noted.mounts).toBe(4);
  const perFrame = new Map<number, number>();
  for (const frame of noted.commits) perFrame.set(frame, (perFrame.get(frame) ?? 0) + 1);
  // Each mount's effects, run twice, may note one frame twice.
  expect([...perFrame.values()].filter((count) => count > 1).length).toBeLessThanOrEqual(2);
  expect(noted.commits.length).toBeLessThan(WORDS.length / 3);
  expect(site.seen.filter((line) => line.startsWith("POST"))).toEqual([
    "POST /v1/sessions",
    "POST /v1/sessions/s/turns",
  ]);
  expect(failures).toEqual([]);
  await page.close();
});
